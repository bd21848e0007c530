/**
 * Prints a running chain from its events, in the same lines as `chain watch`. L8: secrets are masked as in every outlet;
 * only the result as JSON is complete.
 */

import type { EntryEvent, FollowEvent } from '../../client/follow/event.js';
import type { ChainResult } from '../../core/engine/result.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import type { Step } from '../../core/model/chain.js';
import { formatFile } from '../../core/model/file.js';
import { describeLimits } from '../../core/model/limits.js';
import { isPlanNotice } from '../../core/model/notice.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan } from '../../core/model/plan.js';
import type { RequestKind } from '../../core/model/request.js';
import { pickAnsweringModel } from '../../core/model/routing.js';
import { countTotalTokens, toUnpricedTokens } from '../../core/model/usage.js';
import { formatChildLine } from '../../core/print/child-lines.js';
import * as lines from '../../core/print/entry-lines.js';
import { formatEndLine, formatFileLines, formatGoalLine, formatTotalsLine } from '../../core/print/head-lines.js';
import { listModelCallRemarks } from '../../core/print/item-lines.js';
import { createLine, createNamedLabel, createRemarksLine, type Line } from '../../core/print/line.js';
import { formatTaskLines, maskTask } from '../../core/print/plan-lines.js';
import { formatStepLine } from '../../core/print/step-lines.js';
import { listControlViews } from '../../core/state/control-tools.js';
import type { ChainEntry } from '../../core/state/entry.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import { createSnippetMasker } from '../../core/view/snippet-masker.js';
import { createTokenFilter } from '../../core/view/token-filter.js';
import { allPreferencesOn, type Preferences } from '../../core/view/visibility.js';
import { getColors } from '../terminal/colors.js';
import { formatLineRows } from './terminal-lines.js';
import { formatTokens } from './watch-lines.js';

export interface PrintOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Of the reader. Default: all on. */
  readonly preferences?: Preferences;
  /**
   * `calls`: of a step only its calls, each when it has ended, with its result. For a view that shows the rest. Default: `whole`.
   */
  readonly steps?: 'whole' | 'calls';
}

/** Maximum length of a text, in characters. */
const maxTextLength = 200_000;
const maxFileLength = 400;
const indent = '  ';

export type PrintEvent = (event: FollowEvent) => string;

/** Creates a function that formats an event as lines, each with a line break, or as an empty text. */
export function createChainPrinter({
  color,
  width,
  preferences = allPreferencesOn,
  steps = 'whole',
}: PrintOptions): PrintEvent {
  const c = getColors({ color });
  const isAllOn = Object.values(preferences).every((isOn) => isOn);
  const masker = createSnippetMasker();
  /** Null until the agent is prepared. Earlier entries, of a fork, are deferred until the sensitive fields are known. */
  let tools: readonly KnownTool[] | null = null;
  const deferred: EntryEvent[] = [];
  let hasPlan = false;
  let plan: Pick<Plan, 'tasks'> | null = null;
  let model = '';
  /** Steps of the origin, which the limit does not count, and the limit; null with a plan. */
  let adoptedSteps = 0;
  let maxSteps: number | null = null;
  /** Number of the last step's model call, to count the attempts of the next. */
  let modelCall = 0;
  /** The call of the last line; empty among parallel calls, whose lines all have their call. */
  let last = '';
  let isParallel = false;
  /** Texts of printed notices, which the end does not repeat. */
  const printedNotices = new Set<string>();
  const requests = new Map<string, RequestKind>();
  /** When the calls of the step began, or were decided last. */
  const begun = new Map<string, number>();
  const agents = new Map<string, string>();
  const states = new Map<string, ChildStatus['state']>();

  const print = (printed: readonly Line[], before = '') =>
    printed
      .flatMap((line) => formatLineRows(line, Math.max(40, width - before.length), c))
      .map((row) => `${before}${row}\n`)
      .join('');

  /** Prints the lines of a call, with its id if the last line was about another call. */
  const printCall = (call: string, printed: readonly Line[]): string => {
    if (printed.length === 0) return '';
    const prefix = call === last ? '' : `${call} `;
    last = isParallel ? '' : call;
    const text = print(printed, indent + ' '.repeat(prefix.length));
    return indent + c.dim(prefix) + text.slice(indent.length + prefix.length);
  };

  /** The lines of calls that run, where they are printed when they have ended. */
  const running = new Map<string, readonly Line[]>();
  const takeCallLines = (call: string): readonly Line[] => {
    const taken = running.get(call) ?? [];
    running.delete(call);
    return taken;
  };
  const printEndedCalls = ({ calls }: Step, printed: lines.StepLines['calls']): string => {
    const pending = new Set(calls.flatMap(({ id, status }) => (status === 'pending' ? [id] : [])));
    last = '';
    isParallel = true;
    for (const call of printed) if (pending.has(call.id)) running.set(call.id, call.lines);
    const ended = printed.filter(({ id }) => !pending.has(id));
    return ended.map((call) => printCall(call.id, call.lines)).join('');
  };

  const entry = (event: EntryEvent): string => {
    const context = { masker, lengths: lines.fullLengths, tools: tools ?? [], hasPlan, preferences };
    switch (event.type) {
      case 'chain-started':
        return print([
          formatGoalLine(event.input.agent, masker.block(event.input.task, maxTextLength)),
          ...formatFileLines((event.input.files ?? []).map((file) => masker.line(formatFile(file), maxFileLength))),
        ]);
      case 'agent-prepared': {
        const { agent } = event;
        tools = [...agent.tools, ...listControlViews(agent.strategy)];
        hasPlan = agent.strategy.name === 'plan';
        model = agent.model.name;
        adoptedSteps = Math.max(0, ...deferred.map((each) => (each.type === 'step-added' ? each.step.number : 0)));
        maxSteps = hasPlan ? null : agent.limits.steps;
        const version = agent.version === null ? [] : [{ text: `version ${agent.version}` }];
        const head = print([
          createRemarksLine([...version, { text: model }, `at most ${describeLimits(agent.limits)}`]),
        ]);
        return `${head}\n${deferred.splice(0).map(entry).join('')}`;
      }
      case 'step-added': {
        const { step } = event;
        masker.beginStep(tools, step.calls);
        begun.clear();
        for (const call of step.calls) begun.set(call.id, event.at);
        const of = maxSteps === null || step.number <= adoptedSteps ? null : adoptedSteps + maxSteps;
        const head = formatStepLine(step.number, listFacts(step), of);
        modelCall = step.modelCall;
        isParallel = step.calls.length > 1;
        last = isParallel ? '' : (step.calls[0]?.id ?? '');
        const { thought, calls } = lines.formatStepEntry(event, context);
        if (steps === 'calls') return printEndedCalls(step, calls);
        const printed = calls.filter((call) => call.lines.length > 0);
        // A step with only the answer is printed at the end.
        if (thought.length === 0 && step.calls.length === 0) return '';
        const items = printed.map((call) => (isParallel ? printCall(call.id, call.lines) : print(call.lines, indent)));
        return print([head]) + print(thought, indent) + items.join('');
      }
      case 'call-completed':
        return printCall(event.result.call, [
          ...takeCallLines(event.result.call),
          ...lines.formatObservation(event.tool, event.result, context, {
            failure: event.failure,
            durationMs: Math.max(0, event.at - (begun.get(event.result.call) ?? event.at)),
          }),
        ]);
      case 'request-opened':
        requests.set(event.call, event.request.kind);
        return printCall(event.call, [lines.formatRequestEntry(event, context, event.failure)]);
      case 'request-decided':
        begun.set(event.call, event.at);
        return printCall(event.call, [lines.formatDecisionEntry(event, requests.get(event.call) ?? null, context)]);
      case 'notice-added':
        if (maxSteps !== null) maxSteps = event.notice.limits?.steps ?? maxSteps;
        // The summary is the partial answer, which is printed at the end.
        if (event.notice.code === 'closing_call') return '';
        if (isPlanNotice(event.notice.code) && !preferences.thinking) return '';
        printedNotices.add(event.notice.text);
        return print([lines.formatNoticeEntry(event.notice, context)], indent);
      case 'message-received':
        return print([lines.formatMessageEntry(event, context)], indent);
      case 'sub-chain-started':
        agents.set(event.chain.chainId, event.chain.agent);
        if (!lines.isCallSwitchedOn(event, context)) return '';
        return printCall(event.call, [lines.formatSubChainStart(event, context)]);
      case 'sub-chain-ended':
        if (!lines.isCallSwitchedOn(event, context)) return '';
        return printCall(event.call, lines.formatSubChainEnd(event, agents.get(event.chainId) ?? ''));
      case 'plan-changed': {
        const now = { tasks: event.plan.tasks.map((task) => maskTask(task, masker)) };
        const changed = formatTaskLines(plan, now);
        plan = now;
        return preferences.thinking ? print(changed, indent) : '';
      }
      // A notice repeats the guidance about the plan.
      case 'guidance-added':
      case 'turn-paused':
        return '';
    }
  };

  const listFacts = (step: Step) => {
    const { usage, costUsd, charged, startedAt, endedAt, modelCall: call } = step;
    const spent = { ...pickAnsweringModel(step), usage, costUsd, ...(charged === undefined ? {} : { charged }) };
    const attempts = Math.max(1, call - modelCall);
    return listModelCallRemarks({ ...spent, durationMs: endedAt - startedAt, attempts }, 'short', model);
  };

  /** Prints a sub-chain only if its state changed: its usage grows all the time. */
  const printSubChain = ({ chainId, agent, state }: ChildStatus): string => {
    if (!preferences.internalCalls) return '';
    if (states.get(chainId) === state || (state === 'running' && !states.has(chainId))) return '';
    states.set(chainId, state);
    return print(
      [formatChildLine({ chainId, agent, state, outcome: null, steps: null, own: null, total: null })],
      indent,
    );
  };

  const printEnd = (result: ChainResult): string => {
    const { outcome, reason, answer, partial } = result;
    const body = answer ?? partial;
    const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body, null, 2);
    const why = printedNotices.has(reason) ? '' : masker.reason(reason, maxTextLength);
    const end = print([formatEndLine(outcome, why), formatTotalsLine(summarizeUsage(result))]);
    if (text === '') return `\n${end}`;
    const mark = answer === null ? print([createLine(createNamedLabel('partial answer', 'warning'))]) : '';
    return `\n${end}\n${mark}${toPlainText(masker.block(text, maxTextLength))}\n`;
  };

  let filter = createTokenFilter({}, { hidesPrivate: true });
  let filteredCall = '';
  const printToken = ({ call, step, text, missing }: Extract<FollowEvent, { type: 'token' }>): string => {
    // It is not known yet which tokens will be a thought, a call or an answer.
    const isVisible = isAllOn && (tools?.every(({ view }) => (view.sensitive ?? []).length === 0) ?? false);
    if (call !== filteredCall) filter = createTokenFilter({}, { hidesPrivate: true });
    filteredCall = call;
    const visible = isVisible ? filter(step, text, missing) : '';
    return isVisible && (visible !== '' || missing > 0) ? c.dim(formatTokens({ text: visible, missing })) : '';
  };

  /** The tools decide which of its values are sensitive. */
  const printInterim = ({ tool, interim }: Extract<FollowEvent, { type: 'interim-result' }>): string => {
    if (interim === null || tools === null || !lines.isCallSwitchedOn({ tool }, { tools, preferences })) return '';
    return print([lines.formatInterimEntry(tool, interim.value, { masker, lengths: lines.fullLengths })], indent);
  };

  return (event) => {
    if (event.type === 'token') return printToken(event);
    if (event.type === 'interim-result') return printInterim(event);
    if (event.type === 'sub-chain-changed') return printSubChain(event.child);
    if (event.provisional) return '';
    if (event.type === 'chain-ended') return printEnd(event.result);
    if (tools === null && deferredTypes.has(event.type)) {
      deferred.push(event);
      return '';
    }
    return entry(event);
  };
}

/** Entries that are deferred until their sensitive fields are known. */
const deferredTypes: ReadonlySet<ChainEntry['type']> = new Set([
  'step-added',
  'call-completed',
  'message-received',
  'request-opened',
  'request-decided',
]);

function summarizeUsage(result: ChainResult) {
  const { steps, startedAt, endedAt, usage, costUsd, reservedCharges, subtree } = result;
  const below = subtree === undefined ? {} : { below: { ...subtree, tokens: countTotalTokens(subtree.usage) } };
  return {
    steps,
    durationMs: Date.parse(endedAt) - Date.parse(startedAt),
    // As charged, like the cost and like `chain show`.
    tokens: countTotalTokens(usage) + (reservedCharges?.tokens ?? 0),
    costUsd,
    ...toUnpricedTokens(result),
    ...(reservedCharges === undefined ? {} : { reservedCharges }),
    ...below,
  };
}
