/** Formats a watched chain as lines: each item when it is recorded, below its step. */

import type { WatchEvent } from '../../client/follow/event.js';
import type { EventPosition } from '../../client/read/read-chain.js';
import { formatCount } from '../../core/lib/display.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import { formatChildLine } from '../../core/print/child-lines.js';
import { toCallId } from '../../core/print/groups.js';
import { formatAboutLines, formatEndLines } from '../../core/print/head-lines.js';
import { formatInterimLine } from '../../core/print/interim-lines.js';
import type { Line } from '../../core/print/line.js';
import { formatStepItem, formatStepLine, listReplyRemarks } from '../../core/print/step-lines.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import type { StepView } from '../../core/view/reasoning-view.js';
import { getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { formatLineRows } from './terminal-lines.js';

/** An event without its position, which events from a file do not have. */
export type WatchItem = WatchEvent extends infer E
  ? E extends WatchEvent
    ? Omit<E, keyof EventPosition>
    : never
  : never;

const indent = '  ';

/** Creates a function that formats an event as lines, each with a line break, or as an empty text. An interim result is one line. */
export function createWatchPrinter({ color, width }: Pick<Terminal, 'color' | 'width'>): (event: WatchItem) => string {
  const c = getColors({ color });
  /** Last printed text of each item and sub-chain, and the number of decisions it contained. */
  const known = new Map<string, { readonly text: string; readonly decisions: number }>();
  const steps: StepView[] = [];
  let model = '';
  /** Number of the last step that the limit allows; null with a plan. */
  let lastStep: number | null = null;
  let adoptedSteps = 0;
  let number = -1;
  let last = '';

  const hasParallelCalls = ({ number: of }: StepView) => steps.some((each) => each.number === of && isLaterCall(each));

  const rows = (lines: readonly Line[], before = '') =>
    lines.flatMap((line) => formatLineRows(line, width - before.length, c)).map((row) => before + row);

  const step = (item: StepView): string => {
    steps.push(item);
    const raised = item.kind === 'notice' && item.level === 'full' ? item.limits?.steps : undefined;
    if (lastStep !== null && raised !== undefined) lastStep = adoptedSteps + raised;
    const before = known.get(item.id);
    // A call is emitted again when it ends; its result is printed instead.
    if (before !== undefined && item.kind !== 'approval') return '';
    // Results of parallel calls are printed with the call's id.
    const isOfCall = item.kind === 'tool_result' || item.kind === 'approval';
    const isNamed = isOfCall ? last !== toCallId(item) || hasParallelCalls(item) : isLaterCall(item);
    const prefix = isNamed ? `${toCallId(item)} ` : '';
    const printed = listNewLines(item, steps, before?.decisions ?? 0);
    const lines = rows(printed, ' '.repeat(indent.length + prefix.length));
    const text = lines.join('\n');
    known.set(item.id, { text, decisions: countDecisions(item) });
    if (before !== undefined && (text === '' || text === before.text)) return '';
    const of = item.number <= adoptedSteps ? null : lastStep;
    const head = item.number === number ? [] : rows([formatStepLine(item.number, listReplyRemarks(item, model), of)]);
    number = item.number;
    last = toCallId(item);
    const [first, ...more] = lines;
    const own =
      first === undefined ? [] : [indent + c.dim(prefix) + first.slice(indent.length + prefix.length), ...more];
    return joinLines([...head, ...own]);
  };

  const child = (status: ChildStatus): string => {
    const text = joinLines(rows([formatChildLine(status)], indent));
    if (text === known.get(status.chainId)?.text) return '';
    known.set(status.chainId, { text, decisions: 0 });
    return text;
  };

  return (event) => {
    switch (event.type) {
      case 'token':
        return c.dim(formatTokens(event));
      case 'view-opened':
        model = event.view.model;
        lastStep = event.view.currentStep?.of ?? null;
        adoptedSteps = event.view.origin?.steps ?? 0;
        return joinLines([...rows(formatAboutLines(event.view)), '']);
      case 'step-changed':
        return step(event.step);
      case 'sub-chain-changed':
        return child(event.child);
      case 'interim-result':
        return event.interim === null
          ? ''
          : joinLines(rows([formatInterimLine(event.interim.value, event.tool)], indent));
      case 'turn-completed':
        return '';
      case 'view-completed':
        return joinLines(['', ...rows(formatEndLines(event.view, 0))]);
    }
  };
}

/** Before each row of tokens. */
export const tokenIndent = indent;

/** Formats tokens, to be appended to the tokens before. */
export function formatTokens({ text, missing }: { readonly text: string; readonly missing: number }): string {
  const gap = missing === 0 ? '' : ` [${formatCount(missing)} characters not received] `;
  return gap + toPlainText(text).replace(/\n+/g, `\n${tokenIndent}`);
}

/** Whether it is not the first call of its step: of the first, nobody knows yet whether others follow. */
function isLaterCall({ kind, id }: StepView): boolean {
  return kind === 'tool_call' && !/\.1$/.test(id);
}

/** The lines of an item; of a request only decisions that are not printed yet. Attempts are omitted: the result has them. */
function listNewLines(item: StepView, steps: readonly StepView[], printed: number): readonly Line[] {
  const lines = formatStepItem({ steps }, 'attempts' in item ? { ...item, attempts: null } : item);
  if (printed === 0 || item.level !== 'full' || item.kind !== 'approval') return lines;
  return lines.slice(printed, item.status === 'waiting' ? item.decisions.length : undefined);
}

function countDecisions(item: StepView): number {
  return item.level === 'full' && item.kind === 'approval' ? item.decisions.length : 0;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
