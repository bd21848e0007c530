/**
 * A chain as it goes on, made of its events, in the lines that `chain watch` prints of a view. L8: what is secret in it is
 * masked, as in every other outlet; the result as JSON is whole.
 */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChainResult } from '../../core/engine/result.js';
import { plain } from '../../core/lib/plain.js';
import type { AskKind } from '../../core/model/ask.js';
import type { Step } from '../../core/model/chain.js';
import { limitsText } from '../../core/model/limits.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan } from '../../core/model/plan.js';
import { totalTokens } from '../../core/model/usage.js';
import { childLine } from '../../core/print/child-lines.js';
import * as lines from '../../core/print/entry-lines.js';
import { endLine, goalLine, tookLine } from '../../core/print/head-lines.js';
import { spokenFacts } from '../../core/print/item-lines.js';
import { factsLine, type Line } from '../../core/print/line.js';
import { maskedTask, taskLines } from '../../core/print/plan-lines.js';
import { stepLine } from '../../core/print/step-lines.js';
import type { Entry } from '../../core/state/entry.js';
import type { ChildNews } from '../../core/view/child-news.js';
import { createShown } from '../../core/view/snippet-masker.js';
import { speech } from '../../core/view/speech.js';
import { colorsFor } from '../terminal/colors.js';
import { rowsOf } from './terminal-lines.js';
import { spokenPrinter } from './watch-lines.js';

export interface PrintOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Characters of one text. */
const longest = 200_000;
const indent = '  ';

export type Print = (event: ChainEvent) => string;

/** @returns a function that gives the lines of one event, ending in a line break, or nothing */
export function chainPrinter({ color, width }: PrintOptions): Print {
  const c = colorsFor({ color });
  const shown = createShown();
  /** Null until the agent is prepared: what came before, of a fork, waits until it is known what is sensitive in it. */
  let tools: readonly KnownTool[] | null = null;
  const held: Entry[] = [];
  let plans = false;
  let plan: Pick<Plan, 'tasks'> | null = null;
  let model = '';
  /** Of the last step, to count the attempts at the next. */
  let modelCall = 0;
  /** The call that the last line was about. */
  let last = '';
  /** Notices that were printed: the end does not repeat them. */
  const told = new Set<string>();
  const requests = new Map<string, AskKind>();
  const agents = new Map<string, string>();
  const states = new Map<string, ChildNews['state']>();

  const print = (printed: readonly Line[], before = '') =>
    printed
      .flatMap((line) => rowsOf(line, Math.max(40, width - before.length), c))
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

  const entry = (event: Entry): string => {
    const around = { shown, lengths: lines.inFull, tools: tools ?? [], plans };
    switch (event.type) {
      case 'started':
        return print([goalLine(event.input.agent, shown.block(event.input.task, longest))]);
      case 'prepared': {
        const { agent } = event;
        tools = agent.tools;
        plans = agent.strategy.name === 'plan';
        model = agent.model.name;
        const head = print([factsLine([{ said: model }, `at most ${limitsText(agent.limits)}`])]);
        return `${head}\n${held.splice(0).map(entry).join('')}`;
      }
      case 'step': {
        const { step } = event;
        shown.begin(tools, step.calls);
        const head = stepLine(step.number, factsOf(step));
        modelCall = step.modelCall;
        last = step.calls.findLast(({ status }) => status === 'pending')?.id ?? '';
        const items = lines.stepEntryLines(event, around);
        // An answer alone is at the end.
        return items.length === 0 && step.calls.length === 0 ? '' : print([head]) + print(items, indent);
      }
      case 'observation':
        return ofCall(event.settled.call, lines.observationLines(event.tool, event.settled, around));
      case 'asked':
        requests.set(event.call, event.request.kind);
        return ofCall(event.call, [lines.askedLine(event, around)]);
      case 'decided':
        return ofCall(event.call, [lines.decidedLine(event, requests.get(event.call) ?? null, around)]);
      case 'notice':
        // The summing-up is the partial answer: it is at the end.
        if (event.notice.kind === 'closing') return '';
        told.add(event.notice.text);
        return print([lines.noticeEntryLine(event.notice, around)], indent);
      case 'message':
        return print([lines.messageLine(event, around)], indent);
      case 'chainBegun':
        agents.set(event.chain.chainId, event.chain.agent);
        return ofCall(event.call, [lines.chainBegunLine(event, around)]);
      case 'chainEnded':
        return ofCall(event.call, lines.chainEndedLines(event, agents.get(event.chainId) ?? ''));
      case 'planned': {
        const now = { tasks: event.plan.tasks.map((task) => maskedTask(task, shown)) };
        const changed = taskLines(plan, now);
        plan = now;
        return print(changed, indent);
      }
      // What the model is told of its plan, a notice says too.
      case 'guided':
      case 'paused':
        return '';
    }
  };

  const factsOf = ({ model: by, usage, costUsd, charged, startedAt, endedAt, modelCall: call }: Step) => {
    const taken = { model: by, usage, costUsd, ...(charged === undefined ? {} : { charged }) };
    const attempts = Math.max(1, call - modelCall);
    return spokenFacts({ ...taken, durationMs: endedAt - startedAt, attempts }, 'short', model);
  };

  /** Its state alone: what a sub-chain takes grows by the second. */
  const lookedAt = ({ chainId, agent, state }: ChildNews): string => {
    if (states.get(chainId) === state || (state === 'running' && !states.has(chainId))) return '';
    states.set(chainId, state);
    return print([childLine({ chainId, agent, state, outcome: null, steps: null, own: null, whole: null })], indent);
  };

  const ended = (result: ChainResult): string => {
    const { outcome, reason, answer, partial } = result;
    const body = answer ?? partial;
    const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body, null, 2);
    const why = told.has(reason) ? '' : shown.reason(reason, longest);
    const end = print([endLine(outcome, why), tookLine(takenBy(result))]);
    return `\n${end}${text === '' ? '' : `\n${plain(shown.block(text, longest))}\n`}`;
  };

  const spoken = spokenPrinter(indent, c.dim);
  let hear = speech({});
  let heard = '';
  const speak = ({ call, step, text }: Extract<ChainEvent, { type: 'spoken' }>): string => {
    const open = tools?.every(({ view }) => (view.sensitive ?? []).length === 0) ?? false;
    if (call !== heard) hear = speech({});
    heard = call;
    const said = open ? hear(step, text) : '';
    return said === '' ? '' : spoken.say(call, said);
  };

  return (event) => {
    if (event.type === 'spoken') return speak(event);
    if (event.type === 'child') return spoken.end() + lookedAt(event.child);
    if (event.provisional) return '';
    if (event.type === 'ended') return spoken.end() + ended(event.result);
    if (tools === null && waitsForTools.has(event.type)) {
      held.push(event);
      return '';
    }
    return spoken.end() + entry(event);
  };
}

/** Until it is known what is sensitive in them. */
const waitsForTools: ReadonlySet<Entry['type']> = new Set(['step', 'observation', 'message', 'asked', 'decided']);

function takenBy({ steps, startedAt, endedAt, usage, costUsd, subtree }: ChainResult) {
  const below =
    subtree === undefined
      ? {}
      : { below: { chains: subtree.chains, tokens: totalTokens(subtree.usage), costUsd: subtree.costUsd } };
  return { steps, tookMs: Date.parse(endedAt) - Date.parse(startedAt), tokens: totalTokens(usage), costUsd, ...below };
}
