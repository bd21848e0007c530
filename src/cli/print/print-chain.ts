/**
 * A chain as it goes on, made of its events, in the lines that `chain watch` prints of a view. L8: what is secret in it is
 * masked, as in every other outlet; the result as JSON is whole.
 */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChainResult } from '../../core/engine/result.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import type { Step } from '../../core/model/chain.js';
import { describeLimits } from '../../core/model/limits.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan } from '../../core/model/plan.js';
import type { RequestKind } from '../../core/model/request.js';
import { countTotalTokens } from '../../core/model/usage.js';
import { formatChildLine } from '../../core/print/child-lines.js';
import * as lines from '../../core/print/entry-lines.js';
import { formatEndLine, formatGoalLine, formatTotalsLine } from '../../core/print/head-lines.js';
import { listModelCallRemarks } from '../../core/print/item-lines.js';
import { createRemarksLine, type Line } from '../../core/print/line.js';
import { formatTaskLines, maskTask } from '../../core/print/plan-lines.js';
import { formatStepLine } from '../../core/print/step-lines.js';
import type { ChainEntry } from '../../core/state/entry.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import { createSnippetMasker } from '../../core/view/snippet-masker.js';
import { createTokenFilter } from '../../core/view/token-filter.js';
import { getColors } from '../terminal/colors.js';
import { formatLineRows } from './terminal-lines.js';
import { createTokenPrinter } from './watch-lines.js';

export interface PrintOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Characters of one text. */
const maxTextLength = 200_000;
const indent = '  ';

export type PrintEvent = (event: ChainEvent) => string;

/** @returns a function that gives the lines of one event, ending in a line break, or nothing */
export function createChainPrinter({ color, width }: PrintOptions): PrintEvent {
  const c = getColors({ color });
  const shown = createSnippetMasker();
  /** Null until the agent is prepared: what came before, of a fork, waits until it is known what is sensitive in it. */
  let tools: readonly KnownTool[] | null = null;
  const held: ChainEntry[] = [];
  let plans = false;
  let plan: Pick<Plan, 'tasks'> | null = null;
  let model = '';
  /** Of the last step, to count the attempts at the next. */
  let modelCall = 0;
  /** The call that the last line was about. */
  let last = '';
  /** Notices that were printed: the end does not repeat them. */
  const told = new Set<string>();
  const requests = new Map<string, RequestKind>();
  const agents = new Map<string, string>();
  const states = new Map<string, ChildStatus['state']>();

  const print = (printed: readonly Line[], before = '') =>
    printed
      .flatMap((line) => formatLineRows(line, Math.max(40, width - before.length), c))
      .map((row) => `${before}${row}\n`)
      .join('');

  /** Of calls that run together, each line says whose it is. */
  const ofCall = (call: string, printed: readonly Line[]): string => {
    if (printed.length === 0) return '';
    const whose = call === last ? '' : `${call} `;
    last = call;
    const text = print(printed, indent + ' '.repeat(whose.length));
    return indent + c.dim(whose) + text.slice(indent.length + whose.length);
  };

  const entry = (event: ChainEntry): string => {
    const around = { masker: shown, lengths: lines.fullLengths, tools: tools ?? [], hasPlan: plans };
    switch (event.type) {
      case 'chain-started':
        return print([formatGoalLine(event.input.agent, shown.block(event.input.task, maxTextLength))]);
      case 'agent-prepared': {
        const { agent } = event;
        tools = agent.tools;
        plans = agent.strategy.name === 'plan';
        model = agent.model.name;
        const head = print([createRemarksLine([{ text: model }, `at most ${describeLimits(agent.limits)}`])]);
        return `${head}\n${held.splice(0).map(entry).join('')}`;
      }
      case 'step-added': {
        const { step } = event;
        shown.beginStep(tools, step.calls);
        const head = formatStepLine(step.number, factsOf(step));
        modelCall = step.modelCall;
        last = step.calls.findLast(({ status }) => status === 'pending')?.id ?? '';
        const items = lines.formatStepEntry(event, around);
        // An answer alone is at the end.
        return items.length === 0 && step.calls.length === 0 ? '' : print([head]) + print(items, indent);
      }
      case 'call-completed':
        return ofCall(event.result.call, lines.formatObservation(event.tool, event.result, around));
      case 'request-opened':
        requests.set(event.call, event.request.kind);
        return ofCall(event.call, [lines.formatRequestEntry(event, around)]);
      case 'request-decided':
        return ofCall(event.call, [lines.formatDecisionEntry(event, requests.get(event.call) ?? null, around)]);
      case 'notice-added':
        // The summing-up is the partial answer: it is at the end.
        if (event.notice.code === 'closing_call') return '';
        told.add(event.notice.text);
        return print([lines.formatNoticeEntry(event.notice, around)], indent);
      case 'message-received':
        return print([lines.formatMessageEntry(event, around)], indent);
      case 'sub-chain-started':
        agents.set(event.chain.chainId, event.chain.agent);
        return ofCall(event.call, [lines.formatSubChainStart(event, around)]);
      case 'sub-chain-ended':
        return ofCall(event.call, lines.formatSubChainEnd(event, agents.get(event.chainId) ?? ''));
      case 'plan-changed': {
        const now = { tasks: event.plan.tasks.map((task) => maskTask(task, shown)) };
        const changed = formatTaskLines(plan, now);
        plan = now;
        return print(changed, indent);
      }
      // What the model is told of its plan, a notice says too.
      case 'guidance-added':
      case 'turn-paused':
        return '';
    }
  };

  const factsOf = ({ model: by, usage, costUsd, charged, startedAt, endedAt, modelCall: call }: Step) => {
    const taken = { model: by, usage, costUsd, ...(charged === undefined ? {} : { charged }) };
    const attempts = Math.max(1, call - modelCall);
    return listModelCallRemarks({ ...taken, durationMs: endedAt - startedAt, attempts }, 'short', model);
  };

  /** Its state alone: what a sub-chain takes grows by the second. */
  const lookedAt = ({ chainId, agent, state }: ChildStatus): string => {
    if (states.get(chainId) === state || (state === 'running' && !states.has(chainId))) return '';
    states.set(chainId, state);
    return print(
      [formatChildLine({ chainId, agent, state, outcome: null, steps: null, own: null, whole: null })],
      indent,
    );
  };

  const ended = (result: ChainResult): string => {
    const { outcome, reason, answer, partial } = result;
    const body = answer ?? partial;
    const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body, null, 2);
    const why = told.has(reason) ? '' : shown.reason(reason, maxTextLength);
    const end = print([formatEndLine(outcome, why), formatTotalsLine(summarizeUsage(result))]);
    return `\n${end}${text === '' ? '' : `\n${toPlainText(shown.block(text, maxTextLength))}\n`}`;
  };

  const spoken = createTokenPrinter(indent, c.dim);
  let hear = createTokenFilter({});
  let heard = '';
  const speak = ({ call, step, text }: Extract<ChainEvent, { type: 'token' }>): string => {
    const open = tools?.every(({ view }) => (view.sensitive ?? []).length === 0) ?? false;
    if (call !== heard) hear = createTokenFilter({});
    heard = call;
    const said = open ? hear(step, text) : '';
    return said === '' ? '' : spoken.say(call, said);
  };

  return (event) => {
    if (event.type === 'token') return speak(event);
    if (event.type === 'sub-chain-changed') return spoken.end() + lookedAt(event.child);
    if (event.provisional) return '';
    if (event.type === 'chain-ended') return spoken.end() + ended(event.result);
    if (tools === null && deferredTypes.has(event.type)) {
      held.push(event);
      return '';
    }
    return spoken.end() + entry(event);
  };
}

/** Until it is known what is sensitive in them. */
const deferredTypes: ReadonlySet<ChainEntry['type']> = new Set([
  'step-added',
  'call-completed',
  'message-received',
  'request-opened',
  'request-decided',
]);

function summarizeUsage({ steps, startedAt, endedAt, usage, costUsd, subtree }: ChainResult) {
  const below =
    subtree === undefined
      ? {}
      : { below: { chains: subtree.chains, tokens: countTotalTokens(subtree.usage), costUsd: subtree.costUsd } };
  return {
    steps,
    durationMs: Date.parse(endedAt) - Date.parse(startedAt),
    tokens: countTotalTokens(usage),
    costUsd,
    ...below,
  };
}
