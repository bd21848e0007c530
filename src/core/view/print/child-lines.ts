/** The sub-chains of a call as lines: one each, with its steps below where it was opened. */

import { formatTally } from '../../lib/index.js';
import type { ChildChain, ChildView } from '../reasoning-view.js';
import { formatSubChainState, formatTotals } from '../sub-chain.js';
import {
  createBareLine,
  createLeaf,
  createLine,
  createSignLabel,
  type Line,
  type LineTree,
  type Style,
} from './line.js';

/** Lines of one call. Of more sub-chains, those not completed come first. */
const maxLines = 20;

/** @param inside returns the lines of an opened sub-chain */
export function formatChildTrees(
  children: readonly ChildView[],
  inside: (child: ChildChain) => readonly LineTree[],
): readonly LineTree[] {
  const queued = children.filter(({ state }) => state === 'queued').length;
  const candidates = children.filter(({ state }) => state !== 'queued');
  const urgentChildren = selectUrgent(candidates);
  const rest = candidates.filter((child) => !urgentChildren.includes(child));
  return [
    ...urgentChildren.map((child) => ({
      // A single sub-chain's task is in its call, an opened one's in its steps.
      line: formatChildLine(child, child.level === 'summary' && children.length > 1 ? child.task : ''),
      children: child.level === 'full' ? inside(child) : [],
    })),
    ...(rest.length === 0
      ? []
      : [createRemarkLeaf(`… ${rest.length} more: ${formatTally(rest.map(formatSubChainState))}`)]),
    ...(queued === 0 ? [] : [createRemarkLeaf(`${queued} queued`)]),
  ];
}

function selectUrgent(children: readonly ChildView[]): readonly ChildView[] {
  if (children.length <= maxLines || children.some(({ level }) => level === 'full')) return children;
  const first = [...children].sort((a, b) => Number(isDone(a)) - Number(isDone(b))).slice(0, maxLines);
  return children.filter((child) => first.includes(child));
}

function isDone({ state }: ChildView): boolean {
  return state === 'completed';
}

function createRemarkLeaf(text: string): LineTree {
  return createLeaf(createBareLine(text, 'faint', { form: 'value' }));
}

type PrintableChild = Pick<ChildView, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'total'>;

export function formatChildLine(child: PrintableChild, task = ''): Line {
  const { agent, chainId } = child;
  return createLine(createSignLabel('sub-chain', '⇢', 'person', agent), {
    content: task,
    form: 'value',
    remarks: formatTotals(child),
    chainId,
    state: { text: `${getStateSign(child)} ${formatSubChainState(child)}`, style: getStateStyle(child) },
  });
}

function getStateSign({ state }: Pick<PrintableChild, 'state'>): string {
  if (state === 'completed') return '✓';
  if (state === 'waiting' || state === 'sleeping' || state === 'paused') return '⏸';
  return state === 'running' ? '●' : '■';
}

function getStateStyle({ state }: Pick<PrintableChild, 'state'>): Style {
  if (state === 'completed') return 'good';
  if (state === 'waiting' || state === 'paused') return 'warning';
  return state === 'running' || state === 'sleeping' ? 'running' : 'bad';
}
