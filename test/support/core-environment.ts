/**
 * A hostile environment for a chain: models that write nonsense, tools that fail, hang or return too late, people who
 * cancel, servers that disconnect. A script of numbers makes its choices, so that fast-check can generate them.
 * It keeps Temporal's guarantees: timers fire, activities end (a hanging one at the latest at its timeout after an
 * interrupt), and nothing is delivered twice.
 */

import { providerFailures } from '../../src/core/engine/failure-rules.js';
import { controlTools } from '../../src/core/engine/state/control-tools.js';
import { listWaitingCalls } from '../../src/core/engine/state/due-requests.js';
import { emptyRecord, recordEntries } from '../../src/core/engine/state/entry.js';
import { takeTurn } from '../../src/core/engine/turn.js';
import { countUtf8Bytes } from '../../src/core/lib/json.js';
import type { Action } from '../../src/core/model/action.js';
import type { AgentSnapshot } from '../../src/core/model/agent.js';
import type { Fact, TimerName } from '../../src/core/model/fact.js';
import type { ModelFailureKind } from '../../src/core/model/failure-kind.js';
import type { ModelRequest, Reply, ReplyBlock, ReplyStopReason } from '../../src/core/model/model.js';
import { emptyState, type HistorySize, isAside } from '../../src/core/model/state.js';
import { getStrategy, renderClosingRequest, renderRequest } from '../../src/core/strategies/strategies.js';
import type { Chain, ChainState } from '../../src/entries/view.js';
import type { Json } from '../../src/index.js';
import { modelFailure, rawReply, readBy, someInput, stopped, text, thinks, toolFailure, use } from './core-builders.js';
import { answersPause, someCommand, someRules } from './core-people.js';
import { formatStopText } from './stop-text.js';

type ModelAction = Extract<Action, { type: 'callModel' }>;
type Call = Extract<Action, { type: 'runCalls' }>['calls'][number];

/** An operation under way: the fact at its end, and its latest time without an interrupt. */
interface Operation {
  readonly order: number;
  readonly ends: (at: number, timedOut: boolean) => Fact;
  readonly due: number;
  readonly timer: TimerName | null;
  /** Whether it ends only by its timeout. */
  readonly hangs: boolean;
}

/** Returns the agent with the bytes of its true prompt, as its preparation counts them. */
export function withPromptBytes(agent: AgentSnapshot): AgentSnapshot {
  const request = getStrategy(agent.strategy).render({ ...emptyRecord, state: { ...emptyState, agent } }, agent);
  return { ...agent, promptBytes: requestTokens(request) };
}

/** A turn with its input and its state, so that it can be taken again. */
export interface Taken {
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
  readonly state: ChainState;
}

export interface World {
  readonly chain: Chain;
  readonly turns: readonly Taken[];
  readonly ended: boolean;
  /** Whether the chain runs without an operation that could wake it. */
  readonly stuck: boolean;
  readonly calls: readonly {
    readonly action: ModelAction;
    readonly state: ChainState;
    readonly chain: Chain;
    readonly request: ModelRequest;
  }[];
  /** The tool calls that were run, each with the turn that started it. */
  readonly ran: readonly { readonly call: Call; readonly turn: number }[];
}

/** The next number of the script, below `n`; an exhausted script returns 0, which is always the harmless choice. */
type Choose = (n: number) => number;

/** Counts the tokens of the worst tokenizer: one for each byte of the request. */
export function tokensOf(value: Json): number {
  if (typeof value === 'string') return countUtf8Bytes(value);
  if (value === null || typeof value !== 'object') return countUtf8Bytes(JSON.stringify(value));
  return Object.values(value as object).reduce<number>((sum, each: Json) => sum + tokensOf(each), 0);
}

export const requestTokens = ({ system, messages, tools }: ModelRequest): number =>
  tokensOf([system, messages, tools] as unknown as Json);

interface WorldOptions {
  readonly mostTurns?: number;
  /** Whether there are people, who decide requests and send commands at any time. */
  readonly people?: boolean;
}

export function runWorld(agent: AgentSnapshot, script: readonly number[], options: WorldOptions = {}): World {
  const { mostTurns = 2_000, people = false } = options;
  let place = 0;
  const choose: Choose = (n) => (script[place++] ?? 0) % n;
  let chain: Chain = { ...emptyRecord, state: emptyState };
  const turns: Taken[] = [];
  const calls: World['calls'][number][] = [];
  const ran: World['ran'][number][] = [];
  let under: Operation[] = [];
  /** Whether a new run has not had its first task yet. */
  let begins = false;
  let at = 1_000;
  let scheduled = 0;
  let cancels = 0;

  const put = (operation: Omit<Operation, 'order'>) => under.push({ ...operation, order: scheduled++ });

  const perform = (action: Action) => {
    switch (action.type) {
      case 'prepare':
        put({ ...preparation(agent, choose), due: at + 30_000, timer: null, hangs: false });
        break;
      case 'callModel': {
        const request = requestFor(chain, agent, action);
        calls.push({ action, state: chain.state, chain, request });
        put({
          ...modelOperation(action, request, agent, choose, people, () =>
            removeLast(calls, (each) => each.action === action),
          ),
          due: at + action.timeoutMs + 5_000,
          timer: null,
        });
        break;
      }
      case 'runCalls':
        for (const call of action.calls) ran.push({ call, turn: turns.length - 1 });
        for (const call of action.calls)
          put({
            ...toolOperation(call, choose, people, () => removeLast(ran, (each) => each.call === call)),
            due: at + 3_600_000,
            timer: null,
          });
        break;
      case 'startTimer': {
        const { timer } = action;
        put({
          ends: (now) => ({ type: 'timerFired', at: now, timer }),
          due: at + action.ms,
          timer,
          hangs: false,
        });
        break;
      }
      case 'cancelTimer':
        under = under.filter((each) => each.timer !== action.timer);
        break;
      case 'interrupt':
        under = under.map((each) => (each.timer !== null || choose(3) === 0 ? each : interrupted(each)));
        break;
      case 'continueAsNew':
        // Only timers run, and they end with the run.
        under = [];
        begins = true;
        break;
      case 'startChildren':
      case 'readChildren':
      case 'score':
      case 'end':
        break;
      default:
        action satisfies never;
    }
  };

  const take = (delivered: readonly Fact[]): boolean => {
    const facts: readonly Fact[] = begins ? [{ type: 'continued', at, runId: 'before' }, ...delivered] : delivered;
    begins = false;
    const history = { events: 3 + turns.length * 6, bytes: turns.length * 2_000, continueSuggested: false };
    const turn = takeTurn(chain.state, history, facts);
    if ('fault' in turn) throw turn.fault;
    chain = recordEntries(chain, turn.state, turn.entries);
    turns.push({ history, facts, state: turn.state });
    for (const action of turn.actions) perform(action);
    return turn.actions.some((action) => action.type === 'end');
  };

  let ended = take([{ type: 'started', at, chainId: 'chain-1', input: someInput }]);
  while (!ended && turns.length < mostTurns) {
    // A person resumes a paused chain.
    const paused = under.length === 0 && chain.state.paused !== null;
    if (paused || (people && listWaitingCalls(chain.state).length > 0 && choose(4) > 0)) {
      at += paused ? 60_000 : 1 + choose(600);
      // A timer that is overdue now is like one after an outage of workers.
      const isEnough = paused && chain.state.paused?.question !== undefined && chain.state.steps >= 20;
      const command = paused ? answersPause(chain.state) : someCommand(chain.state, choose);
      ended = take([isEnough ? cancel(at, true, false) : { ...command, at }]);
      continue;
    }
    if (under.length === 0 && !begins) break;
    const delivered = under.length === 0 ? [] : next(under, choose);
    under = under.filter((each) => !delivered.includes(each));
    at = Math.max(at + 1, ...delivered.filter((each) => each.timer || each.hangs).map((each) => each.due));
    const facts = [...delivered].sort((a, b) => a.order - b.order).map((each) => each.ends(at, each.hangs));
    if (people) while (choose(4) === 3) facts.unshift({ ...someCommand(chain.state, choose), at });
    if (cancels < 4 && choose(40) === 39) {
      facts.unshift(cancel(at, cancels++ % 2 === 0, people && choose(2) === 1));
    }
    ended = take(facts);
  }
  return { chain, turns, ended, stuck: !ended && under.length === 0 && !begins, calls, ran };
}

/** Returns the operations that the next workflow task delivers: those that end by themselves, otherwise the first due one. */
function next(under: readonly Operation[], choose: Choose): readonly Operation[] {
  const able = under.filter((each) => !each.timer && !each.hangs);
  const due = [...under].sort((a, b) => a.due - b.due)[0]!;
  if (able.length === 0 || choose(50) === 49) return [due];
  const first = able[choose(able.length)]!;
  const second = choose(3) === 2 ? able[choose(able.length)]! : first;
  return [...new Set([first, second])];
}

function interrupted(operation: Operation): Operation {
  const ends = (at: number): Fact => {
    const fact = operation.ends(at, false);
    if (fact.type === 'toolReturned' || fact.type === 'toolFailed') {
      return { type: 'toolFailed', at, call: fact.call, failure: stopped };
    }
    if (fact.type === 'modelReplied' || fact.type === 'modelFailed') {
      return {
        type: 'modelFailed',
        at,
        call: fact.call,
        failure: modelFailure('cancelled', { settle: 'reservation' }),
      };
    }
    if (fact.type === 'requeued') return fact;
    return { type: 'prepareFailed', at, failure: stopped };
  };
  return { ...operation, ends, hangs: false };
}

function cancel(at: number, byName: boolean, summarize: boolean): Fact {
  if (!byName) return { type: 'cancelRequested', at, id: null, by: null, reason: null, summarize: false };
  return { type: 'cancelRequested', at, id: 'request-1', by: 'ada', reason: null, summarize };
}

function requestFor(chain: Chain, agent: AgentSnapshot, action: ModelAction): ModelRequest {
  if (isAside(action.purpose)) return renderRequest(chain, agent, action.purpose);
  const request = getStrategy(agent.strategy).render(chain, agent);
  return action.purpose === 'closing' ? renderClosingRequest(request, formatStopText(chain.state) ?? '') : request;
}

/** An operation that goes back to the task queue was not made. */
function removeLast<T>(made: T[], isIt: (each: T) => boolean): void {
  made.splice(made.findLastIndex(isIt), 1);
}

/** Every fourth worker lacks the agent. */
function preparation(agent: AgentSnapshot, choose: Choose): Pick<Operation, 'ends'> {
  const isMissing = choose(4) === 3;
  return {
    ends: (at) => (isMissing ? { type: 'requeued', at, activity: 'prepare' } : { type: 'prepared', at, agent }),
  };
}

const failures = Object.keys(providerFailures) as ModelFailureKind[];

function modelOperation(
  action: ModelAction,
  request: ModelRequest,
  agent: AgentSnapshot,
  choose: Choose,
  people: boolean,
  onRequeue: () => void,
): Pick<Operation, 'ends' | 'hangs'> {
  const { call, reservation } = action;
  const input = Math.min(requestTokens(request), reservation.inputTokens);
  const fate = choose(30);
  const failed = modelFailure(failures[choose(failures.length)]!, {
    settle: (['nothing', 'usage', 'reservation'] as const)[choose(3)]!,
    usage: { input, output: 1, cacheRead: 0, cacheWrite: 0, thinking: 0 },
    retryAfterMs: choose(2) === 0 ? null : choose(20_000),
  });
  const lost = modelFailure('timeout', { settle: 'reservation' });
  const tools = people ? toolsForPeople : names;
  const reply = isAside(action.purpose)
    ? rawReply([text(asideTexts[choose(asideTexts.length)]!)])
    : babble(agent, choose, agent.strategy.name === 'plan' ? [...tools, ...controlTools] : tools);
  const output = Math.min(tokensOf(reply.content as unknown as Json), reservation.outputTokens);
  const used = { ...reply, usage: { input, output, cacheRead: 0, cacheWrite: 0, thinking: 0 } };
  const read = readBy(agent, used, judge);
  const approvals = people ? read.reading.calls.map(() => (choose(2) === 0 ? null : someRules(choose))) : [];
  return {
    hangs: fate === 29,
    ends: (at, timedOut) => {
      if (timedOut) return { type: 'modelFailed', at, call, failure: lost };
      if (fate >= 24) return { type: 'modelFailed', at, call, failure: failed };
      if (fate === 23) {
        onRequeue();
        return { type: 'requeued', at, activity: call };
      }
      return { type: 'modelReplied', at, call, reply: people ? { ...read, approvals } : read };
    },
  };
}

const asideTexts = [
  '{"verdict":"allow","reasons":[]}',
  '{"verdict":"deny","reasons":["Rule 1."]}',
  '{"verdict":"ask","reasons":["Rule 2."]}',
  'Who knows?',
  '{"verdict":"allow","reasons":["Fine."]}',
  '{"verdict":"end","reasons":["Rule 3."]}',
  'Zürich has 🏙 towers. '.repeat(400),
];

const judge = (name: string, input: Json): string | null =>
  JSON.stringify(input) === '"bad"' || JSON.stringify(input) === '{"bad":1}'
    ? `The arguments of ${name} are wrong.`
    : null;

const names = ['look', 'read', 'poll', 'save', 'pay', 'ghost', 'constructor', 'finish'];
const toolsForPeople = ['pay', 'pay', 'look', 'save', 'ask_user', 'wait', 'pay', ...names];
const waitInputs: readonly Json[] = [{ seconds: 20 }, { signal: 'built' }, { signal: 'sold', seconds: 40 }, {}];
const inputs: readonly Json[] = [{}, { a: 1 }, { a: 2 }, { bad: 1 }, { city: 'Zürich 🏙' }, 'bad', { deep: [[[]]] }];
/** Tasks that depend on each other, on themselves or on missing tasks, and values that are not a plan. */
const planInputs: readonly Json[] = [
  { tasks: [{ id: 'a', description: 'First.' }, { id: 'b', description: 'Then.', depends_on: ['a'] }, { id: 'c' }] },
  {
    reason: 'It was too much.',
    tasks: [
      { id: 'b', depends_on: ['b', 'd'] },
      { id: 'd', depends_on: ['b', 'x'] },
    ],
  },
  { tasks: [] },
  { tasks: 'do it' },
  { id: 'a', result: 'Done.' },
  { id: 'b', result: 'Done.', error: 'It is shut.' },
  { id: 'c', result: { rows: 3 }, reason: 'There was no time.' },
];
const words = ['', ' ', 'I shall look.', 'Zürich 🏙 '.repeat(20), 'Final Answer: 42', 'Scratchpad: so far nothing.\n'];
const endings: readonly ReplyStopReason[] = [
  'tool_use',
  'end_turn',
  'max_tokens',
  'pause_turn',
  'tool_use',
  'tool_use',
];

let ids = 0;

function babble(agent: AgentSnapshot, choose: Choose, tools: readonly string[]): Reply {
  const content: ReplyBlock[] = [];
  if (choose(3) === 2) content.push(thinks('Let me think.'));
  const sentence = words[choose(words.length)]!;
  const calls = Array.from({ length: choose(8) === 7 ? 0 : 1 + choose(4) }, () => {
    const name = tools[choose(tools.length)]!;
    if (name === 'wait') return { name, input: waitInputs[choose(waitInputs.length)]! };
    return {
      name,
      input: (agent.strategy.name === 'plan' && choose(2) === 1 ? planInputs : inputs)[choose(inputs.length)]!,
    };
  });
  const stopReason = endings[choose(endings.length)]!;
  if (agent.strategy.name === 'react') {
    const [first] = calls;
    const acts = first ? `Action: ${first.name}\nAction Input: ${JSON.stringify(first.input)}` : '';
    content.push(text(`Thought: I want to know what is due now.\n${sentence}\n${acts}`));
    return rawReply(content, stopReason === 'tool_use' ? 'end_turn' : stopReason);
  }
  if (sentence !== '') content.push(text(sentence));
  // A turn that the provider paused has text, but no tool calls.
  if (stopReason === 'pause_turn') return rawReply([...content, text('And so on.')], stopReason);
  for (const { name, input } of calls) content.push(use(`use_${ids++}`, name, input));
  return rawReply(content, stopReason);
}

function toolOperation(
  call: Call,
  choose: Choose,
  people: boolean,
  onRequeue: () => void,
): Pick<Operation, 'ends' | 'hangs'> {
  const drawn = choose(30);
  // With people, unsafe calls often have an unknown outcome, so that there are requests.
  const fate = people && call.effects === 'unsafe' && drawn > 15 ? 25 : drawn;
  const content: Json = [`seen by ${call.id}`, 'the same', { rows: [1, 'ü'.repeat(50)] }, '', null][choose(5)]!;
  const type = ['NotDone', 'ToolError', 'Error', 'timeout', 'lost'][choose(5)]!;
  const failure = toolFailure(type, 'It broke', { details: choose(8) === 7 ? { fatal: true } : null });
  return {
    hangs: fate === 29,
    ends: (at, timedOut) => {
      if (timedOut) return { type: 'toolFailed', at, call: call.id, failure: toolFailure('timeout') };
      if (fate >= 25) return { type: 'toolFailed', at, call: call.id, failure };
      if (fate >= 22) {
        onRequeue();
        return { type: 'requeued', at, activity: call.id };
      }
      return { type: 'toolReturned', at, call: call.id, observation: { content, clippedFrom: null } };
    },
  };
}
