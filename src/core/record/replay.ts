/**
 * Replays a recorded chain through the current code, without model and tools. The current code decides each turn and
 * parses each reply; both are compared with the record.
 *
 * 1. The record only answers the operations that it contains. Where the chain now requests other calls or renders
 *    another request, the replay ends: the answer is unknown.
 * 2. Other differences do not end it: a reply that is parsed differently may lead to the same request.
 * 3. Steps before `fromStep` are taken as recorded, and not compared.
 * 4. Its cost is linear in the chain's length, however many differences there are.
 */

import {
  type ChainResult,
  countCompleteSteps,
  foldRecordedTurns,
  type RecordedTurn,
  takeTurn,
  toCloseResult,
} from '../engine/index.js';
import { type Json, toCanonicalJson } from '../lib/index.js';
import {
  type Action,
  type AgentSnapshot,
  type ChainState,
  emptyState,
  type Fact,
  type FailureDetails,
  isAside,
  isModelCallId,
  type ModelReply,
  type Observation,
  type PendingCall,
  toReadActivityId,
  toScoreActivityId,
} from '../model/index.js';
import { renderRequest, reparse } from '../strategies/index.js';
import type { ChainFileTurn, ChainRun } from './chain-file.js';

export interface ReplayDifference {
  /**
   * `reading`: a reply is parsed differently; only the differing part is shown. `result`: a tool returns something
   * else. `request`: the request differs; messages are shown from the first difference. `decision`: the chain decides
   * differently. `outcome`: it ends differently.
   */
  readonly kind: 'reading' | 'result' | 'request' | 'decision' | 'outcome';
  /** The current step, from 1. */
  readonly step: number;
  /** The call concerned, `model-2` or `2.1`; null for a decision or an outcome. */
  readonly call: string | null;
  /** For a result: the tool's name. */
  readonly tool: string | null;
  readonly runId: string;
  /** The completion of the workflow task with the difference. */
  readonly eventId: number;
  readonly recorded: Json;
  readonly now: Json;
}

export interface ChainReplay {
  /** The turns as replayed; `turnCount` is the number of recorded ones. */
  readonly turns: readonly RecordedTurn[];
  readonly turnCount: number;
  /** Calls of tools that had a substitute. */
  readonly substitutedCalls: number;
  readonly differences: readonly ReplayDifference[];
  /** Whether the chain requested something that the record does not contain. */
  readonly diverged: boolean;
}

/** Returns the tool's result. Must not throw. */
export type ToolSubstitute = (call: PendingCall, agent: AgentSnapshot, state: ChainState) => Promise<SubstituteResult>;

export type SubstituteResult =
  | { readonly ok: true; readonly observation: Observation }
  | { readonly ok: false; readonly failure: FailureDetails };

export interface ReplayOptions {
  readonly fromStep?: number;
  /** By tool name. */
  readonly substitutes?: ReadonlyMap<string, ToolSubstitute>;
}

export async function replayChain(runs: readonly ChainRun[], options: ReplayOptions = {}): Promise<ChainReplay> {
  const recorded = runs.flatMap(listTurns);
  const then: RecordedTurn[] = [];
  const now: RecordedTurn[] = [];
  const differences: ReplayDifference[] = [];
  const lastAsked = recorded.findLast(({ turn }) => turn.scheduled.some(isModelCallId));
  let state = emptyState;
  let substitutedCalls = 0;
  let diverged = false;
  let compared = 0;
  for (const recordedTurn of recorded) {
    const taken = await replayTurn(state, recordedTurn, options);
    state = taken.state;
    substitutedCalls += taken.substitutedCalls;
    then.push(recordedTurn.turn);
    now.push({ ...recordedTurn.turn, facts: taken.facts });
    differences.push(...taken.differences);
    const news = differences.length > compared || recordedTurn === lastAsked;
    if (news && differences.length > 0 && !taken.diverged && hasModelCall(taken.actions)) {
      differences.push(
        ...compareRequests(then, now, taken.actions).map((difference) => ({ ...difference, ...taken.place })),
      );
      compared = differences.length;
    }
    diverged = taken.diverged || differences.at(-1)?.kind === 'request';
    if (diverged || differences.length >= maxDifferences) break;
  }
  return { turns: now, turnCount: recorded.length, substitutedCalls, differences, diverged };
}

/** More would not help a reader; each may cost two folds of the whole chain. */
const maxDifferences = 25;

function hasModelCall(actions: readonly Action[]): boolean {
  return actions.some(({ type }) => type === 'callModel');
}

/** A turn and what followed it. */
interface ReplayTurn {
  readonly runId: string;
  readonly turn: ChainFileTurn;
  /** Whether the workflow ended after this turn. */
  readonly ended: boolean;
  /** The result at the end, if any. */
  readonly result: ChainResult | null;
}

function listTurns({ runId, closed, result, turns }: ChainRun): readonly ReplayTurn[] {
  const ended = closed === 'completed' || closed === 'canceled' || result !== null;
  return turns.map((turn, at) => {
    const last = at === turns.length - 1;
    return { runId, turn, ended: last && ended, result: last ? result : null };
  });
}

type DifferenceContent = Pick<ReplayDifference, 'kind' | 'call' | 'tool' | 'recorded' | 'now'>;

async function replayTurn(before: ChainState, recorded: ReplayTurn, { fromStep = 1, substitutes }: ReplayOptions) {
  const { turn, runId, result } = recorded;
  const place = { step: computeCurrentStep(before), runId, eventId: turn.eventId };
  if (place.step < fromStep) {
    const { state, actions } = takeTurn(before, turn.history, turn.facts);
    return { state, actions, facts: turn.facts, place, substitutedCalls: 0, differences: [], diverged: false };
  }
  const replayed: FactReplay[] = [];
  for (const fact of turn.facts) replayed.push(await replayFact(before, fact, substitutes ?? new Map()));
  const facts = replayed.map(({ fact }) => fact);
  const { state, actions } = takeTurn(before, turn.history, facts);
  const decided = compareActions(recorded, actions);
  const outcome = decided.length === 0 ? compareOutcomes(result, state) : [];
  const contents = [...replayed.flatMap(({ differences }) => differences), ...decided, ...outcome];
  const differences = contents.map((content): ReplayDifference => ({ ...content, ...place }));
  const substitutedCalls = replayed.filter(({ isSubstituted }) => isSubstituted).length;
  return { state, actions, facts, place, substitutedCalls, differences, diverged: decided.length > 0 };
}

/** A step is counted at its reply, and current until its calls have ended. */
function computeCurrentStep(state: ChainState): number {
  return Math.max(1, countCompleteSteps(state) + 1);
}

/** A fact as replayed: a reply as it is parsed now, a result as the substitute returns it. */
interface FactReplay {
  readonly fact: Fact;
  readonly isSubstituted: boolean;
  readonly differences: readonly DifferenceContent[];
}

async function replayFact(
  state: ChainState,
  fact: Fact,
  substitutes: ReadonlyMap<string, ToolSubstitute>,
): Promise<FactReplay> {
  const { agent, flight } = state;
  if (agent === null) return { fact, isSubstituted: false, differences: [] };
  // The core reads the text of an aside itself.
  if (fact.type === 'modelReplied' && flight.kind === 'model' && isAside(flight.purpose))
    return { fact, isSubstituted: false, differences: [] };
  if (fact.type === 'modelReplied') {
    const { reply, found } = reparseReply(fact.call, fact.reply, agent);
    return { fact: { ...fact, reply }, isSubstituted: false, differences: found };
  }
  const call =
    isExecuted(fact) && flight.kind === 'calls' ? flight.calls.find(({ id }) => id === fact.call) : undefined;
  const substitute = substitutes.get(call?.tool ?? '');
  if (call === undefined || substitute === undefined || !isExecuted(fact))
    return { fact, isSubstituted: false, differences: [] };
  const now = toResultFact(fact.call, fact.at, await substitute(call, agent, state));
  const [recorded, given] = [toResultContent(fact), toResultContent(now)];
  if (toCanonicalJson(recorded) === toCanonicalJson(given)) return { fact, isSubstituted: true, differences: [] };
  return {
    fact: now,
    isSubstituted: true,
    differences: [{ kind: 'result', call: call.id, tool: call.tool, recorded, now: given }],
  };
}

function reparseReply(call: string, recordedReply: ModelReply, agent: AgentSnapshot) {
  const { reply, difference } = reparse(recordedReply, agent);
  const differenceContents: readonly DifferenceContent[] =
    difference === null ? [] : [{ kind: 'reading', call, tool: null, ...difference }];
  return { reply, found: differenceContents };
}

type ToolResultFact = Extract<Fact, { type: 'toolReturned' | 'toolFailed' }>;

/** A call stopped by a cancel or the time limit would be stopped again. */
function isExecuted(fact: Fact): fact is ToolResultFact {
  return fact.type === 'toolReturned' || (fact.type === 'toolFailed' && fact.failure.type !== 'cancelled');
}

function toResultFact(call: string, at: number, result: SubstituteResult): ToolResultFact {
  return result.ok
    ? { type: 'toolReturned', at, call, observation: result.observation }
    : { type: 'toolFailed', at, call, failure: result.failure };
}

function toResultContent(fact: ToolResultFact): Json {
  if (fact.type === 'toolReturned') return fact.observation.content;
  return { failed: `${fact.failure.type}: ${fact.failure.message}` };
}

/**
 * Compares requests, rendered by the same code from both: equal as long as nothing differed before. Compared only after
 * each new difference and at the last request, since both chains are folded for it.
 */
function compareRequests(
  then: readonly RecordedTurn[],
  now: readonly RecordedTurn[],
  actions: readonly Action[],
): readonly DifferenceContent[] {
  const action = actions.find(({ type }) => type === 'callModel');
  if (action?.type !== 'callModel') return [];
  const [asked, asks] = [then, now].map((turns) => {
    const { chain } = foldRecordedTurns(turns);
    return chain.state.agent === null ? [] : renderRequest(chain, chain.state.agent, action.purpose).messages;
  }) as [readonly unknown[], readonly unknown[]];
  const longer = asked.length > asks.length ? asked : asks;
  const first = longer.findIndex((_, at) => toCanonicalJson(asked[at]) !== toCanonicalJson(asks[at]));
  if (first < 0) return [];
  const from = (messages: readonly unknown[]) => messages.slice(first) as Json;
  return [{ kind: 'request', call: action.call, tool: null, recorded: from(asked), now: from(asks) }];
}

/** Compares the scheduled activities: the history contains their ids. */
function compareActions({ turn, ended }: ReplayTurn, actions: readonly Action[]): readonly DifferenceContent[] {
  const then = [...turn.scheduled, ...(ended ? ['end'] : [])];
  const now = actions.flatMap(listActivityIds);
  return toCanonicalJson(then) === toCanonicalJson(now)
    ? []
    : [{ kind: 'decision', call: null, tool: null, recorded: then, now }];
}

function listActivityIds(action: Action): readonly string[] {
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
      return action.children.map(({ chainId }) => toReadActivityId(chainId));
    case 'score':
      return [toScoreActivityId(action.call)];
    case 'end':
      return ['end'];
    case 'startTimer':
    case 'cancelTimer':
    case 'interrupt':
    case 'continueAsNew':
      return [];
  }
}

/** Members added to results in later versions are not compared. */
function compareOutcomes(then: ChainResult | null, state: ChainState): readonly DifferenceContent[] {
  if (then === null) return [];
  const now = toCloseResult(state);
  const parts = (Object.keys(then) as (keyof ChainResult)[]).filter(
    (part) => toCanonicalJson(then[part]) !== toCanonicalJson(now[part]),
  );
  if (parts.length === 0) return [];
  const only = (result: ChainResult) => Object.fromEntries(parts.map((part) => [part, (result[part] ?? null) as Json]));
  return [{ kind: 'outcome', call: null, tool: null, recorded: only(then), now: only(now) }];
}
