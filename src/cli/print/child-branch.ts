/** The chains that a call began: each in one line, and below it what it did, where it was opened. */

import { tally } from '../../core/lib/display.js';
import { oneLine } from '../../core/lib/plain.js';
import type { ChildView } from '../../core/view/reasoning-view.js';
import { stateText, subChainText } from '../../core/view/sub-chain-text.js';
import type { Colors } from '../terminal/colors.js';
import { columns, cut, wrapped } from '../terminal/text.js';
import type { Branch } from './branch.js';

/** Lines that one call may take; of more, those that need a look and the first of the others. */
const mostLines = 20;
/** Columns of a task that is cut: of less, nothing can be told. */
const leastWords = 8;
/** Columns of a task for which the id gives way to a line of its own: by their tasks several are told apart. */
const usefulWords = 24;

/** @param inside makes the branches of a chain that was opened */
export function childBranches(
  children: readonly ChildView[],
  c: Colors,
  inside: (child: Extract<ChildView, { level: 'full' }>) => readonly Branch[],
): readonly Branch[] {
  const queued = children.filter(({ state }) => state === 'queued').length;
  const begun = children.filter(({ state }) => state !== 'queued');
  const shown = some(begun);
  const rest = begun.filter((child) => !shown.includes(child));
  return [
    ...shown.map((child) => ({
      lines: (room: number) => linesOf(child, children.length === 1, room, c),
      under: child.level === 'full' ? inside(child) : [],
    })),
    ...(rest.length === 0 ? [] : [inWords(`… ${rest.length} more: ${tally(rest.map(stateText))}`, c)]),
    ...(queued === 0 ? [] : [inWords(`${queued} queued`, c)]),
  ];
}

function some(children: readonly ChildView[]): readonly ChildView[] {
  // Who has them opened wants to see them.
  if (children.length <= mostLines || children.some(({ level }) => level === 'full')) return children;
  const first = [...children].sort((a, b) => Number(isDone(a)) - Number(isDone(b))).slice(0, mostLines);
  return children.filter((child) => first.includes(child));
}

function isDone({ state }: ChildView): boolean {
  return state === 'completed';
}

/**
 * What it was to do stands in its call, where that began no other. Its id is what other commands take: it is never cut, and
 * has lines of its own where the first has no room for it.
 */
function linesOf(child: ChildView, alone: boolean, room: number, c: Colors): readonly string[] {
  const { agent, state } = child;
  const id = oneLine(child.chainId);
  const task = alone || child.level === 'full' ? '' : oneLine(child.task);
  const label = `⇢ ${oneLine(agent)}`;
  const whole = `${markOf(child)} ${subChainText(child)}`;
  const needed = task === '' ? 0 : Math.min(columns(task), usefulWords) + 2;
  const beside = columns(label) + needed + columns(whole) + columns(id) + 4 <= room;
  const facts = cut(whole, room - columns(label) - 2);
  const left = room - columns(label) - columns(facts) - 4 - (beside ? columns(id) + 2 : 0);
  const words = cut(task, Math.max(0, left));
  const shown = task === '' || (words !== task && columns(words) < leastWords) ? [] : [words];
  const first = [c.blue(label), ...shown, c[paintOf(state)](facts)].join('  ');
  if (beside) return [`${first}  ${c.dim(id)}`];
  return [first, ...wrapped(id, room - 2).map((line) => `  ${c.dim(line)}`)];
}

function markOf({ state }: ChildView): string {
  if (state === 'completed') return '✓';
  if (state === 'waiting' || state === 'paused') return '⏸';
  return state === 'running' ? '●' : '■';
}

function paintOf(state: ChildView['state']): 'green' | 'yellow' | 'cyan' | 'red' {
  if (state === 'completed') return 'green';
  if (state === 'waiting' || state === 'paused') return 'yellow';
  return state === 'running' ? 'cyan' : 'red';
}

function inWords(text: string, c: Colors): Branch {
  return { lines: (room) => [c.dim(cut(text, room))], under: [] };
}
