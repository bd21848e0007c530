/**
 * How a chain that was forked begins: with the steps of its origin, and nothing of what these cost.
 *
 * 1. The origin's turns are taken as they were then, and must come to the digest that the fork names. All origins that lie
 *    in one another share one limit of bytes, which holds before anything is unpacked.
 * 2. What was said and observed is kept. Money, time, stops, timers and what counts towards a stall begin anew; so does
 *    what may be reused, because a look at the world may be days old.
 * 3. Steps, and with them calls, go on being numbered where the origin's end. Keys of effects are the fork's own.
 */

import type { Sha256 } from '../lib/digest.js';
import { isTooDeep } from '../lib/json.js';
import { countUnpackedBytes, maxUnpackedBytes } from '../lib/pack.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Step } from '../model/chain.js';
import type { ChainInput, Fact } from '../model/fact.js';
import { removeThinking } from '../model/model.js';
import { computeForkDepth, maxForkDepth, type Origin, type OriginRef } from '../model/origin.js';
import { type ChainState, emptyState, type HistorySize } from '../model/state.js';
import { noUsage } from '../model/usage.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { addBytes } from '../state/budget.js';
import { type ChainEntry, emptyRecord, recordEntries } from '../state/entry.js';
import { isFromOtherModel, listKnownTools } from '../state/fork.js';
import { countConversationBytes, countMessageBytes } from '../state/observation.js';
import { stopChain } from '../state/stop.js';
import type { Hashing } from './advance.js';
import { rethrowMachineError } from './fault.js';
import { isOrigin, unpackTurns } from './recorded-turn.js';

/** As `takeTurn` does: handed in, because it is a turn that a chain begins with. */
type TurnReplayer = (
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
  nest: OriginNesting,
) => Advance;

/** Where an origin lies in others. */
export interface OriginNesting {
  /** How many it lies in. */
  readonly depth: number;
  /** Bytes that may still be unpacked. One account for the whole nest: each origin in it takes from `bytes`. */
  readonly remaining: { bytes: number };
}

/** The nest of what no other origin carries. */
export function createOriginNesting(): OriginNesting {
  return { depth: 0, remaining: { bytes: maxUnpackedBytes } };
}

export function adoptOrigin(
  begun: Advance,
  input: ChainInput,
  take: TurnReplayer,
  hashing?: Hashing,
  nest = createOriginNesting(),
): Advance {
  // What has no input to be read has ended already.
  if (begun.state.stop !== null || input.origin === undefined) return begun;
  const { origin } = input;
  // Invariant 1: whoever does not hash the fork's own facts hashes these.
  const sha256 = typeof hashing === 'object' ? hashing.onlyOrigins : hashing;
  const taken = isOrigin(origin) ? replayOrigin(origin, take, sha256, nest) : null;
  if (taken === null) {
    return andThen(begun, (state) => stopChain(state, 'failure', { code: 'unreadable_origin' }));
  }
  const kept = taken.entries.flatMap((entry) => listAdoptedEntries(entry, taken));
  const adopted = andThen(begun, (state) => emit(adoptState(state, taken, origin), ...kept));
  const { message: text } = origin;
  if (text === null) return adopted;
  return andThen(adopted, (state) => {
    const message = { text, by: input.user, afterStep: origin.steps, at: state.now };
    return emit(addBytes(state, countMessageBytes(message)), { type: 'message-received', at: state.now, message });
  });
}

/** Levels of a turn's facts. Each value in them has 200 at most; the facts themselves lie around these. */
const maxFactDepth = 220;

interface ReplayedOrigin {
  readonly state: ChainState;
  readonly agent: AgentSnapshot;
  readonly entries: readonly ChainEntry[];
}

/** Invariant 1. Facts that no workflow ever held may not even be facts: whatever they do, the fork is told. */
function replayOrigin(
  origin: Origin,
  take: TurnReplayer,
  sha256: Sha256 | undefined,
  nest: OriginNesting,
): ReplayedOrigin | null {
  try {
    return hasRoom(origin, nest) ? replayOriginTurns(origin, take, sha256, { ...nest, depth: nest.depth + 1 }) : null;
  } catch (error) {
    rethrowMachineError(error);
    return null;
  }
}

/** Takes from what is left, whatever becomes of the origin: to read it costs time even if it is refused in the end. */
function hasRoom({ turns }: Origin, { depth, remaining }: OriginNesting): boolean {
  remaining.bytes -= countUnpackedBytes(turns);
  return depth < maxForkDepth && remaining.bytes >= 0;
}

function replayOriginTurns(
  origin: Origin,
  take: TurnReplayer,
  sha256: Sha256 | undefined,
  nest: OriginNesting,
): ReplayedOrigin | null {
  let state = emptyState;
  const entries: ChainEntry[] = [];
  for (const { history, facts } of unpackTurns(origin.turns) ?? []) {
    // Code that reads facts may recurse, and a stack that runs out is thrown on.
    if (isTooDeep(facts, maxFactDepth)) return null;
    const turn = take(state, history, facts, sha256, nest);
    state = turn.state;
    entries.push(...turn.entries);
  }
  const { agent, head, steps, flight } = state;
  if (agent === null || head !== origin.digest || steps !== origin.steps || flight.kind === 'calls') return null;
  return computeForkDepth(state) > maxForkDepth ? null : { state, agent, entries };
}

/** Invariant 2. */
function adoptState(begun: ChainState, { state, agent, entries }: ReplayedOrigin, origin: Origin): ChainState {
  const { chainId, runId, steps } = origin;
  const ref: OriginRef = {
    ...{ chainId, runId, steps },
    model: agent.model.name,
    strategy: agent.strategy.name,
    definition: agent.digest,
    tools: (listKnownTools(state) ?? []).map(({ name, view }) => ({ name, view })),
    depth: computeForkDepth(state),
    bytes: countConversationBytes(recordEntries(emptyRecord, state, entries)),
  };
  return {
    ...begun,
    origin: ref,
    steps,
    // A call that its last turn began is none of ours.
    modelCalls: state.flight.kind === 'model' ? state.modelCalls - 1 : state.modelCalls,
    context: state.context,
    scratchpad: state.scratchpad,
    partialFindings: state.partialFindings,
    plan: state.plan,
    planning: state.planning,
  };
}

/** What readers are told of an origin: its steps, what people said, and what explains these. */
function listAdoptedEntries(entry: ChainEntry, { state }: ReplayedOrigin): readonly ChainEntry[] {
  switch (entry.type) {
    case 'chain-started':
    case 'agent-prepared':
    // Its sub-chains are its own: they stand in its history.
    case 'sub-chain-started':
    case 'sub-chain-ended':
      return [];
    case 'step-added':
      return [{ ...entry, step: omitCharge(omitForeignThinking(entry.step, state)) }];
    case 'notice-added':
      // Those behind the last step told how the origin went on or ended. An effect in doubt stays in doubt.
      return entry.notice.step < state.steps || entry.notice.code === 'outcome_unknown' ? [entry] : [];
    case 'message-received':
    case 'turn-paused':
    case 'call-completed':
    case 'request-opened':
    case 'request-decided':
    case 'plan-changed':
    case 'guidance-added':
      return [entry];
  }
}

/** The origin may have been forked itself, and have gone on by another model than it began with. */
function omitForeignThinking(step: Step, state: ChainState): Step {
  return isFromOtherModel(state, step.number) ? { ...step, content: removeThinking(step.content) } : step;
}

/** It was paid for in the origin. */
function omitCharge(step: Step): Step {
  const { charged: _, ...said } = step;
  return { ...said, usage: noUsage, costUsd: step.costUsd === null ? null : 0 };
}
