/**
 * Prints a watched chain as lines: each item when it is recorded, below its step. All commands that print a running chain
 * print it from its view (L8).
 */

import type { EventPosition, WatchEvent } from '../../client/index.js';
import { findControlTool } from '../../core/engine/index.js';
import { formatCount, isObject, toPlainText, toValueText } from '../../core/lib/index.js';
import { type AgentSnapshot, hasResult } from '../../core/model/index.js';
import {
  type ChildStatus,
  createLine,
  createNamedLabel,
  createSignLabel,
  formatAboutLines,
  formatChildLine,
  formatEndLines,
  formatInterimLine,
  formatRecordedItem,
  formatRunHeadLines,
  formatStepLine,
  formatTaskLines,
  type Line,
  listCombinationRemarks,
  type PlanView,
  type ReasoningView,
  type StepView,
  toCallId,
} from '../../core/view/index.js';
import { getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { formatLineRows } from './terminal-lines.js';

/** An event without its position, which events from a file do not have. */
export type WatchItem = WatchEvent extends infer E
  ? E extends WatchEvent
    ? Omit<E, keyof EventPosition>
    : never
  : never;

/** An event to print. The first one of a chain that a command runs has the agent's limits, which no view has. */
export type PrintItem = WatchItem | (Extract<WatchItem, { type: 'view-opened' }> & Pick<AgentSnapshot, 'limits'>);

export interface PrintOptions extends Pick<Terminal, 'color' | 'width'> {
  /**
   * `watch`: all items. `run`: the answer whole, at the end. `calls`: of steps only their calls, each when it has ended, for
   * an output that shows the rest; the end as in `run`. Default: `watch`.
   */
  readonly form?: 'watch' | 'run' | 'calls';
  /** Whether open requests are printed: a prompt shows them in full. Default: true. */
  readonly requests?: boolean;
}

/** Before each row of an item, and of tokens. */
export const indent = '  ';

const minWidth = 40;

export class ChainPrinter {
  private readonly form;
  private readonly c;
  /** Number of the last step that the limit allows; null with a plan. */
  private lastStep: number | null = null;
  private adoptedSteps = 0;
  private plan: PlanView | null = null;
  /** The items of the current step, in their last version. */
  private readonly items = new Map<string, StepView>();
  private number = -1;
  /** The last step whose line is printed. */
  private headedStep = -1;
  /** The call of the last line. */
  private lastCall = '';
  private readonly printedIds = new Set<string>();
  private readonly printedNotices = new Set<string>();
  private readonly requestStates = new Map<string, { readonly status: string | null; readonly decisions: number }>();
  private readonly childStates = new Map<string, ChildStatus['state']>();
  /** Items since the first call of a step, until the turn ends: then it is known whether the step has more calls. */
  private readonly waiting: (StepView | ChildStatus)[] = [];
  /** Whether the warning of a long chain is printed. */
  private isWarned = false;
  /** An answer that may be the last. */
  private answer: StepView | null = null;

  constructor(private readonly options: PrintOptions) {
    this.form = options.form ?? 'watch';
    this.c = getColors(options);
  }

  /** Formats an event as lines, each with a line break, or as an empty text. An interim result is one line. */
  print(event: PrintItem): string {
    switch (event.type) {
      case 'token':
        return this.c.dim(formatTokens(event));
      case 'view-opened':
        return this.printHead(event.view, 'limits' in event ? event.limits : null);
      case 'step-changed':
        return this.addItem(event.step) + this.printWarning(event.warning);
      case 'sub-chain-changed':
        return this.waiting.length > 0 ? this.wait(event.child) : this.printChild(event.child);
      case 'interim-result':
        return event.interim === null
          ? ''
          : this.format([formatInterimLine(event.interim.value, event.tool)], indent.length);
      case 'turn-completed':
        return this.printTurn(event.plan ?? null);
      case 'view-completed':
        return this.flush() + this.printEnd(event.view);
    }
  }

  /** Prints the items that wait for the end of their turn: a file has no turns. */
  flush(): string {
    const texts = this.waiting
      .splice(0)
      .map((item) => ('level' in item ? this.printItem(item) : this.printChild(item)));
    return texts.join('');
  }

  private wait(item: StepView | ChildStatus): '' {
    this.waiting.push(item);
    return '';
  }

  private printHead(view: ReasoningView, limits: AgentSnapshot['limits'] | null): string {
    this.lastStep = view.currentStep?.of ?? null;
    this.adoptedSteps = view.origin?.steps ?? 0;
    if (this.form === 'calls') return '';
    return `${this.format(limits === null ? formatAboutLines(view) : formatRunHeadLines(view, limits))}\n`;
  }

  private printTurn(plan: PlanView | null): string {
    const before = this.plan;
    this.plan = plan;
    const text = this.flush();
    if (plan === null || this.form === 'calls') return text;
    return text + this.format(formatTaskLines(before, plan), indent.length);
  }

  private printWarning(warning: string | undefined): string {
    if (warning === undefined || this.isWarned) return '';
    this.isWarned = true;
    return this.format([createLine(createSignLabel('warning', '⚠', 'warning'), { content: warning })], indent.length);
  }

  private addItem(item: StepView): string {
    let text = '';
    if (item.number > this.number) {
      text = this.flush();
      this.items.clear();
      this.number = item.number;
    }
    this.items.set(item.id, item);
    const isFirstCall = item.kind === 'tool_call' && !isLaterCall(item) && !this.printedIds.has(item.id);
    return text + (isFirstCall || this.waiting.length > 0 ? this.wait(item) : this.printItem(item));
  }

  private printItem(item: StepView): string {
    const text = this.printRejectedAnswer(item.number);
    if (item.kind !== 'synthesis' || this.form !== 'run') return text + this.printLines(item);
    this.answer = item;
    return text;
  }

  /** After an answer that was rejected, the chain takes another step. */
  private printRejectedAnswer(number: number): string {
    const { answer } = this;
    if (answer === null || answer.number >= number) return '';
    this.answer = null;
    return this.printLines(answer);
  }

  private printLines(item: StepView): string {
    if (item.level === 'full' && item.kind === 'notice') {
      if (this.lastStep !== null && item.limits?.steps !== undefined)
        this.lastStep = this.adoptedSteps + item.limits.steps;
      this.printedNotices.add(item.text);
    }
    const lines = item.kind === 'approval' ? this.listRequestLines(item) : this.listLines(item);
    const isOfCall = item.kind === 'tool_call' || item.kind === 'tool_result' || item.kind === 'approval';
    const call = toCallId(item);
    const hasId = isOfCall && (this.hasParallelCalls() || (item.kind !== 'tool_call' && call !== this.lastCall));
    return this.printStep(item, lines) + this.printOfCall(call, hasId, lines);
  }

  /** The line of a step is above the first printed item. */
  private printStep(item: StepView, lines: readonly Line[]): string {
    const { number, kind } = item;
    if (this.form === 'calls' || kind === 'notice' || number === this.headedStep || lines.length === 0) return '';
    this.headedStep = number;
    const total = number <= this.adoptedSteps ? null : this.lastStep;
    return this.format([formatStepLine(number, listCombinationRemarks(item), total)]);
  }

  private printOfCall(call: string, hasId: boolean, lines: readonly Line[]): string {
    if (lines.length === 0) return '';
    this.lastCall = call;
    const prefix = hasId ? `${call} ` : '';
    const margin = indent.length + prefix.length;
    return indent + this.c.dim(prefix) + this.format(lines, margin).slice(margin);
  }

  private hasParallelCalls(): boolean {
    return this.form === 'calls' || [...this.items.values()].some(isLaterCall);
  }

  private listLines(item: StepView): readonly Line[] {
    // A call is emitted again when it ends; its result is printed instead.
    if (this.printedIds.has(item.id) || this.isOmitted(item)) return [];
    this.printedIds.add(item.id);
    const call = this.items.get(toCallId(item));
    const before =
      this.form === 'calls' && item.kind === 'tool_result' && call !== undefined ? this.formatItem(call) : [];
    // The decision's line contains the person and the reason.
    const isDenied = item.level === 'full' && item.kind === 'tool_result' && item.status === 'denied';
    return [...before, ...(isDenied ? [] : this.formatItem(item))];
  }

  private isOmitted(item: StepView): boolean {
    if (this.form === 'calls' && item.kind !== 'tool_result' && item.kind !== 'notice') return true;
    if (item.level !== 'full') return false;
    // The summary is the partial answer, which is printed at the end.
    if (item.kind === 'notice') return item.notice === 'closing_call' && this.form !== 'watch';
    if (item.kind !== 'tool_call' && item.kind !== 'tool_result') return false;
    // The lines of tasks show the effect of a call on the plan.
    return this.plan !== null && findControlTool(item.tool) !== null && hasResult(item.status);
  }

  /** Of a request that is printed already, only its new decisions. */
  private listRequestLines(item: StepView): readonly Line[] {
    const request = item.level === 'full' && item.kind === 'approval' ? item : null;
    const status = item.level === 'summary' ? item.status : (request?.status ?? null);
    const decisions = request?.decisions.length ?? 0;
    const before = this.requestStates.get(item.id);
    if (status === before?.status && decisions === before?.decisions) return [];
    this.requestStates.set(item.id, { status, decisions });
    const isDecisionsOnly = status === 'waiting' && (before !== undefined || this.options.requests === false);
    return this.formatItem(item).slice(before?.decisions ?? 0, isDecisionsOnly ? decisions : undefined);
  }

  private formatItem(item: StepView): readonly Line[] {
    return formatRecordedItem({ steps: [...this.items.values()] }, item);
  }

  /** Prints a sub-chain only if its state changed: its usage grows all the time. */
  private printChild(child: ChildStatus): string {
    const { chainId, call, path, state, outcome, total, requests } = child;
    // An end without its charge is emitted again with it.
    if (this.childStates.get(chainId) === state || (outcome !== null && total === null)) return '';
    if (this.options.requests === false && requests > 0) return '';
    const task = this.childStates.has(chainId) ? '' : findTask(this.items.get(call), child);
    this.childStates.set(chainId, state);
    const lines = [formatChildLine(child, task)];
    // Only the calls of the watched chain have lines.
    if (path.length > 2) return this.format(lines, indent.length);
    return this.printOfCall(call, this.hasParallelCalls() || call !== this.lastCall, lines);
  }

  private printEnd(view: ReasoningView): string {
    const reason = this.printedNotices.has(view.reason ?? '') ? '' : view.reason;
    if (this.form === 'watch') return `\n${this.format(formatEndLines({ ...view, reason }, 0))}`;
    const text = view.answer ?? view.partial;
    const rejected = view.answer === null ? this.printRejectedAnswer(Number.POSITIVE_INFINITY) : '';
    const end = `${rejected}\n${this.format(formatEndLines({ ...view, reason, answer: null }, 0))}`;
    if (text === null || text === '') return end;
    const mark = view.answer === null ? this.format([createLine(createNamedLabel('partial answer', 'warning'))]) : '';
    return `${end}\n${mark}${toPlainText(typeof text === 'string' ? text : JSON.stringify(text, null, 2))}\n`;
  }

  private format(lines: readonly Line[], margin = 0): string {
    const width = Math.max(minWidth, this.options.width - margin);
    return lines
      .flatMap((line) => formatLineRows(line, width, this.c))
      .map((row) => `${' '.repeat(margin)}${row}\n`)
      .join('');
  }
}

/** Formats tokens, to be appended to the tokens before. */
function formatTokens({ text, missing }: { readonly text: string; readonly missing: number }): string {
  const gap = missing === 0 ? '' : ` [${formatCount(missing)} characters not received] `;
  return gap + toPlainText(text).replace(/\n+/g, `\n${indent}`);
}

/** Whether it is not the first call of its step. */
function isLaterCall({ kind, id }: StepView): boolean {
  return kind === 'tool_call' && !/\.1$/.test(id);
}

/** Returns the task of a started sub-chain, if the arguments of its call are visible. */
function findTask(call: StepView | undefined, { chainId }: ChildStatus): string {
  if (call?.level !== 'full' || call.kind !== 'tool_call' || !isObject(call.input)) return '';
  const { task, tasks, hypotheses } = call.input;
  const list = tasks ?? hypotheses;
  const own = Array.isArray(list) ? list[Number(chainId.split('.').at(-1)) - 1] : task;
  return own === undefined ? '' : toValueText(own);
}
