/** A watched chain as lines: each item when it is there, under the step that it belongs to. */

import type { WatchEvent } from '../../client/follow/watch.js';
import type { EventPosition } from '../../client/read/read-chain.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import { formatChildLine } from '../../core/print/child-lines.js';
import { toCallId } from '../../core/print/groups.js';
import { formatAboutLines, formatOutcomeLine, formatSpendingLine } from '../../core/print/head-lines.js';
import type { Line } from '../../core/print/line.js';
import { formatStepItem, formatStepLine, listReplyRemarks } from '../../core/print/step-lines.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import type { StepView } from '../../core/view/reasoning-view.js';
import { getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { formatLineRows } from './terminal-lines.js';

/** An event of a chain on a server; in a file nothing has a position. */
export type WatchItem = WatchEvent extends infer E
  ? E extends WatchEvent
    ? Omit<E, keyof EventPosition>
    : never
  : never;

const indent = '  ';

/** @returns a function that gives the lines of one event, each ending in a line break, or nothing */
export function createWatchPrinter({ color, width }: Pick<Terminal, 'color' | 'width'>): (event: WatchItem) => string {
  const c = getColors({ color });
  /** What was printed last of each item and sub-chain, and how many decisions of a request that had. */
  const known = new Map<string, { readonly text: string; readonly decisions: number }>();
  const steps: StepView[] = [];
  let model = '';
  let number = -1;
  let last = '';

  const rows = (lines: readonly Line[], before = '') =>
    lines.flatMap((line) => formatLineRows(line, width - before.length, c)).map((row) => before + row);

  const step = (item: StepView): string => {
    steps.push(item);
    const before = known.get(item.id);
    // A call comes again when it has ended: its result says what became of it.
    if (before !== undefined && item.kind !== 'approval') return '';
    // Of calls that ran together each result says whose it is.
    const ofCall = item.kind === 'tool_result' || item.kind === 'approval';
    const whose = ofCall && last !== toCallId(item) ? `${toCallId(item)} ` : '';
    const printed = listNewLines(item, steps, before?.decisions ?? 0);
    const lines = rows(printed, ' '.repeat(indent.length + whose.length));
    const text = lines.join('\n');
    known.set(item.id, { text, decisions: countDecisions(item) });
    if (before !== undefined && (text === '' || text === before.text)) return '';
    const head = item.number === number ? [] : rows([formatStepLine(item.number, listReplyRemarks(item, model))]);
    number = item.number;
    last = toCallId(item);
    const [first, ...more] = lines;
    const own = first === undefined ? [] : [indent + c.dim(whose) + first.slice(indent.length + whose.length), ...more];
    return joinLines([...head, ...own]);
  };

  const child = (news: ChildStatus): string => {
    const text = joinLines(rows([formatChildLine(news)], indent));
    if (text === known.get(news.chainId)?.text) return '';
    known.set(news.chainId, { text, decisions: 0 });
    return text;
  };

  const speech = createTokenPrinter(indent, c.dim);
  return (event) => {
    if (event.type === 'token') return speech.say(event.call, event.text);
    const silence = speech.end();
    switch (event.type) {
      case 'chain-started':
        model = event.view.model;
        return joinLines([...rows(formatAboutLines(event.view)), '']);
      case 'step-changed':
        return silence + step(event.step);
      case 'sub-chain-changed':
        return silence + child(event.child);
      case 'chain-ended':
        return silence + joinLines(['', ...rows([formatOutcomeLine(event.view), formatSpendingLine(event.view, 0)])]);
    }
  };
}

/** What the model is saying, until its step is there: each attempt begins on a line of its own. */
export function createTokenPrinter(before: string, paint: (text: string) => string) {
  let speaking = '';
  const end = (): string => {
    const close = speaking === '' ? '' : '\n';
    speaking = '';
    return close;
  };
  const say = (call: string, text: string): string => {
    const lead = call === speaking ? '' : `${end()}${before}`;
    speaking = call;
    return paint(lead + toPlainText(text).replace(/\n+/g, `\n${before}`));
  };
  return { say, end };
}

/** Of a request the decisions since it was last printed. How often a call was begun is no news: its result says so. */
function listNewLines(item: StepView, steps: readonly StepView[], told: number): readonly Line[] {
  const lines = formatStepItem({ steps }, 'attempts' in item ? { ...item, attempts: null } : item);
  if (told === 0 || item.level !== 'full' || item.kind !== 'approval') return lines;
  return lines.slice(told, item.status === 'waiting' ? item.decisions.length : undefined);
}

function countDecisions(item: StepView): number {
  return item.level === 'full' && item.kind === 'approval' ? item.decisions.length : 0;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
