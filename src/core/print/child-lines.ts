/** The sub-chains of a call as lines: each in one, and under it its steps where it was opened. */

import { tally } from '../lib/display.js';
import type { ChildChain, ChildView } from '../view/reasoning-view.js';
import { spentTexts, stateText } from '../view/sub-chain.js';
import { type Branch, bare, type Line, leaf, lineOf, type Style, signed } from './line.js';

/** Lines of one call; of more sub-chains, those that need a look and the first of the others. */
const mostLines = 20;

/** @param inside makes the branches of a sub-chain that was opened */
export function childBranches(
  children: readonly ChildView[],
  inside: (child: ChildChain) => readonly Branch[],
): readonly Branch[] {
  const queued = children.filter(({ state }) => state === 'queued').length;
  const begun = children.filter(({ state }) => state !== 'queued');
  const shown = urgent(begun);
  const rest = begun.filter((child) => !shown.includes(child));
  return [
    ...shown.map((child) => ({
      // The task of a sub-chain alone is in its call, and that of an open one in its steps.
      line: childLine(child, child.level === 'summary' && children.length > 1 ? child.task : ''),
      under: child.level === 'full' ? inside(child) : [],
    })),
    ...(rest.length === 0 ? [] : [remark(`… ${rest.length} more: ${tally(rest.map(stateText))}`)]),
    ...(queued === 0 ? [] : [remark(`${queued} queued`)]),
  ];
}

function urgent(children: readonly ChildView[]): readonly ChildView[] {
  if (children.length <= mostLines || children.some(({ level }) => level === 'full')) return children;
  const first = [...children].sort((a, b) => Number(isDone(a)) - Number(isDone(b))).slice(0, mostLines);
  return children.filter((child) => first.includes(child));
}

function isDone({ state }: ChildView): boolean {
  return state === 'completed';
}

function remark(text: string): Branch {
  return leaf(bare(text, 'faint', { form: 'value' }));
}

type Child = Pick<ChildView, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'whole'>;

export function childLine(child: Child, task = ''): Line {
  const { agent, chainId } = child;
  return lineOf(signed('sub-chain', '⇢', 'person', agent), {
    ...{ said: task, form: 'value', facts: spentTexts(child), chainId },
    state: { text: `${signOf(child)} ${stateText(child)}`, style: styleOf(child) },
  });
}

function signOf({ state }: Pick<Child, 'state'>): string {
  if (state === 'completed') return '✓';
  if (state === 'waiting' || state === 'paused') return '⏸';
  return state === 'running' ? '●' : '■';
}

function styleOf({ state }: Pick<Child, 'state'>): Style {
  if (state === 'completed') return 'good';
  if (state === 'waiting' || state === 'paused') return 'warning';
  return state === 'running' ? 'running' : 'bad';
}
