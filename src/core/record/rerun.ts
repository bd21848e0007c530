/**
 * Runs a recorded chain again without a model and without tools: what these said then is what they say now. Every turn
 * is taken by the code as it is, every reply read by the strategy as it is, and both are held against what is recorded.
 *
 * 1. What was recorded answers what was asked then and nothing else. Where the chain now asks for other calls, or the
 *    model in other words, the run ends: nobody knows what would have come back.
 * 2. Up to there it goes on behind a difference: a reply that is read otherwise may lead to the same request.
 * 3. Steps before `fromStep` are taken as they were, and not compared.
 * 4. It takes time in proportion to the chain, whatever differs.
 */

import type { RecordedTurn } from '../engine/recorded-turn.js';
import { refold } from '../engine/refold.js';
import { type ChainResult, closeOf } from '../engine/result.js';
import { takeTurn } from '../engine/turn.js';
import { canonical, type Json } from '../lib/json.js';
import type { Action } from '../model/action.js';
import { readActivityId, scoreActivityId } from '../model/activity.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Fact, Failure, ModelReply, Observation } from '../model/fact.js';
import { emptyState, type PendingCall, type State } from '../model/state.js';
import { requestOf } from '../strategies/index.js';
import { reread } from '../strategies/reread.js';
import type { ChainRun, FiledTurn } from './chain-file.js';

export interface Difference {
  /**
   * `reading`: a reply is read otherwise; only what differs is shown. `result`: a tool gave back something else.
   * `request`: the model is asked something else; the messages from the first that differs are shown. `decision`: the
   * chain asks for something else. `outcome`: it comes to something else.
   */
  readonly kind: 'reading' | 'result' | 'request' | 'decision' | 'outcome';
  /** The step under way, from 1. */
  readonly step: number;
  /** The call that it is about, `model-2` or `2.1`; null for a decision or an outcome. */
  readonly call: string | null;
  /** Of a result, the tool's name. */
  readonly tool: string | null;
  readonly runId: string;
  /** The completion of the workflow task in which it shows. */
  readonly eventId: number;
  readonly recorded: Json;
  readonly now: Json;
}

export interface Rerun {
  /** As they are taken now, of so many. */
  readonly turns: readonly RecordedTurn[];
  readonly of: number;
  /** Calls of tools that something else stood in for. */
  readonly stoodIn: number;
  readonly differences: readonly Difference[];
  /** Whether the chain came to ask for what nothing recorded answers. */
  readonly parted: boolean;
}

/** Contract: never throws; gives what the tool's activity would have come to. */
export type StandIn = (call: PendingCall, agent: AgentSnapshot, chainId: string) => Promise<StoodIn>;

export type StoodIn =
  | { readonly ok: true; readonly observation: Observation }
  | { readonly ok: false; readonly failure: Failure };

export interface RerunOptions {
  readonly fromStep?: number;
  /** By the name of the tool that they stand in for. */
  readonly standIns?: ReadonlyMap<string, StandIn>;
}

export async function rerun(runs: readonly ChainRun[], options: RerunOptions = {}): Promise<Rerun> {
  const recorded = runs.flatMap(turnsOf);
  const then: RecordedTurn[] = [];
  const now: RecordedTurn[] = [];
  const differences: Difference[] = [];
  const lastAsked = recorded.findLast(({ turn }) => turn.asked.some((id) => id.startsWith('model-')));
  let state = emptyState;
  let stoodIn = 0;
  let parted = false;
  let compared = 0;
  for (const each of recorded) {
    const taken = await takeAgain(state, each, options);
    state = taken.state;
    stoodIn += taken.stoodIn;
    then.push(each.turn);
    now.push({ ...each.turn, facts: taken.facts });
    differences.push(...taken.differences);
    const news = differences.length > compared || each === lastAsked;
    if (news && differences.length > 0 && !taken.parted && asksModel(taken.actions)) {
      differences.push(...requests(then, now, taken.actions).map((found) => ({ ...found, ...taken.place })));
      compared = differences.length;
    }
    parted = taken.parted || differences.at(-1)?.kind === 'request';
    if (parted || differences.length >= mostDifferences) break;
  }
  return { turns: now, of: recorded.length, stoodIn, differences, parted };
}

/** Who sees so many has seen enough; each may cost two folds of the whole chain. */
const mostDifferences = 25;

function asksModel(actions: readonly Action[]): boolean {
  return actions.some(({ type }) => type === 'callModel');
}

/** A turn, and all that is known of what followed from it. */
interface FollowedTurn {
  readonly runId: string;
  readonly turn: FiledTurn;
  /** Whether the workflow ended with it. */
  readonly ended: boolean;
  /** What it then said it came to, if it did. */
  readonly result: ChainResult | null;
}

function turnsOf({ runId, closed, result, turns }: ChainRun): readonly FollowedTurn[] {
  const ended = closed === 'completed' || closed === 'canceled' || result !== null;
  return turns.map((turn, at) => {
    const last = at === turns.length - 1;
    return { runId, turn, ended: last && ended, result: last ? result : null };
  });
}

type Found = Pick<Difference, 'kind' | 'call' | 'tool' | 'recorded' | 'now'>;

async function takeAgain(before: State, recorded: FollowedTurn, { fromStep = 1, standIns }: RerunOptions) {
  const { turn, runId, result } = recorded;
  const place = { step: stepUnderWay(before), runId, eventId: turn.eventId };
  if (place.step < fromStep) {
    const { state, actions } = takeTurn(before, turn.history, turn.facts);
    return { state, actions, facts: turn.facts, place, stoodIn: 0, differences: [], parted: false };
  }
  const heard: Heard[] = [];
  for (const fact of turn.facts) heard.push(await hear(before, fact, standIns ?? new Map()));
  const facts = heard.map((each) => each.fact);
  const { state, actions } = takeTurn(before, turn.history, facts);
  const decided = decisions(recorded, actions);
  const outcome = decided.length === 0 ? outcomes(result, state) : [];
  const found = [...heard.flatMap((each) => each.found), ...decided, ...outcome];
  const differences = found.map((each): Difference => ({ ...each, ...place }));
  const stoodIn = heard.filter((each) => each.stoodIn).length;
  return { state, actions, facts, place, stoodIn, differences, parted: decided.length > 0 };
}

/** Counted when its reply has come, a step is under way until its calls have ended. */
function stepUnderWay({ steps, flight }: State): number {
  return Math.max(1, flight.kind === 'calls' ? steps : steps + 1);
}

/** A fact as it is now: a reply as it is read now, a result as what stands in for the tool gives it. */
interface Heard {
  readonly fact: Fact;
  readonly stoodIn: boolean;
  readonly found: readonly Found[];
}

async function hear(
  { agent, flight, chainId }: State,
  fact: Fact,
  standIns: ReadonlyMap<string, StandIn>,
): Promise<Heard> {
  if (fact.type === 'begun' && fact.first?.came.status === 'replied') {
    const { first } = fact;
    const { reply, found } = readAgain(fact.call, fact.first.came.reply, fact.agent);
    return { fact: { ...fact, first: { ...first, came: { status: 'replied', reply } } }, stoodIn: false, found };
  }
  if (agent === null) return { fact, stoodIn: false, found: [] };
  if (fact.type === 'modelReplied') {
    const { reply, found } = readAgain(fact.call, fact.reply, agent);
    return { fact: { ...fact, reply }, stoodIn: false, found };
  }
  const call = wasRun(fact) && flight.kind === 'calls' ? flight.calls.find(({ id }) => id === fact.call) : undefined;
  const standIn = standIns.get(call?.tool ?? '');
  if (call === undefined || standIn === undefined || !wasRun(fact)) return { fact, stoodIn: false, found: [] };
  const now = factOf(fact.call, fact.at, await standIn(call, agent, chainId));
  const [recorded, given] = [gave(fact), gave(now)];
  if (canonical(recorded) === canonical(given)) return { fact, stoodIn: true, found: [] };
  return {
    fact: now,
    stoodIn: true,
    found: [{ kind: 'result', call: call.id, tool: call.tool, recorded, now: given }],
  };
}

function readAgain(call: string, said: ModelReply, agent: AgentSnapshot) {
  const { reply, differs } = reread(said, agent);
  const found: readonly Found[] = differs === null ? [] : [{ kind: 'reading', call, tool: null, ...differs }];
  return { reply, found };
}

type Result = Extract<Fact, { type: 'toolReturned' | 'toolFailed' }>;

/** What was stopped by a cancel or the time limit would be stopped again. */
function wasRun(fact: Fact): fact is Result {
  return fact.type === 'toolReturned' || (fact.type === 'toolFailed' && fact.failure.type !== 'cancelled');
}

function factOf(call: string, at: number, stood: StoodIn): Result {
  return stood.ok
    ? { type: 'toolReturned', at, call, observation: stood.observation }
    : { type: 'toolFailed', at, call, failure: stood.failure };
}

function gave(fact: Result): Json {
  if (fact.type === 'toolReturned') return fact.observation.content;
  return { failed: `${fact.failure.type}: ${fact.failure.message}` };
}

/**
 * Rendered by the same code from both: as long as nothing differed before, neither do they. They are compared after each
 * new difference and at the last, since both chains are folded anew for it.
 */
function requests(
  then: readonly RecordedTurn[],
  now: readonly RecordedTurn[],
  actions: readonly Action[],
): readonly Found[] {
  const action = actions.find(({ type }) => type === 'callModel');
  if (action?.type !== 'callModel') return [];
  const [asked, asks] = [then, now].map((turns) => {
    const { chain } = refold(turns);
    return chain.state.agent === null ? [] : requestOf(chain, chain.state.agent, action.purpose).messages;
  }) as [readonly unknown[], readonly unknown[]];
  const longer = asked.length > asks.length ? asked : asks;
  const first = longer.findIndex((_, at) => canonical(asked[at]) !== canonical(asks[at]));
  if (first < 0) return [];
  const from = (messages: readonly unknown[]) => messages.slice(first) as Json;
  return [{ kind: 'request', call: action.call, tool: null, recorded: from(asked), now: from(asks) }];
}

/** Of what is asked for, the activities are compared: their ids stand in the history. */
function decisions({ turn, ended }: FollowedTurn, actions: readonly Action[]): readonly Found[] {
  const then = [...turn.asked, ...(ended ? ['end'] : [])];
  const now = actions.flatMap(askedBy);
  return canonical(then) === canonical(now) ? [] : [{ kind: 'decision', call: null, tool: null, recorded: then, now }];
}

function askedBy(action: Action): readonly string[] {
  switch (action.type) {
    case 'prepare':
      return ['prepare'];
    case 'callModel':
      return [action.call];
    case 'runCalls':
      return action.calls.map(({ id }) => id);
    case 'startChildren':
      return action.starts.map(({ chainId }) => chainId);
    case 'readChildren':
      return action.children.map(({ chainId }) => readActivityId(chainId));
    case 'score':
      return [scoreActivityId(action.call)];
    case 'end':
      return ['end'];
    case 'startTimer':
    case 'interrupt':
    case 'continueAsNew':
      return [];
  }
}

/** Members that results have had added since are not compared. */
function outcomes(then: ChainResult | null, state: State): readonly Found[] {
  if (then === null) return [];
  const now = closeOf(state);
  const parts = (Object.keys(then) as (keyof ChainResult)[]).filter(
    (part) => canonical(then[part]) !== canonical(now[part]),
  );
  if (parts.length === 0) return [];
  const only = (result: ChainResult) => Object.fromEntries(parts.map((part) => [part, (result[part] ?? null) as Json]));
  return [{ kind: 'outcome', call: null, tool: null, recorded: only(then), now: only(now) }];
}
