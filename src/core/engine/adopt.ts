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
import { mostUnpacked, unpackedBytes } from '../lib/pack.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Step } from '../model/chain.js';
import type { ChainInput, Fact } from '../model/fact.js';
import { withoutThinking } from '../model/model.js';
import { deepestFork, depthOfFork, type Origin, type OriginRef } from '../model/origin.js';
import { emptyState, type History, type State } from '../model/state.js';
import { noUsage } from '../model/usage.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { addBytes } from '../state/budget.js';
import { type Entry, emptyRecord, record } from '../state/entry.js';
import { knownTools, saidByAnother } from '../state/forked.js';
import { messageBytes, spokenBytes } from '../state/observation.js';
import { stopWith } from '../state/stop.js';
import type { Hashing } from './advance.js';
import { throwIfOfMachine } from './fault.js';
import { isOrigin, unpackTurns } from './recorded-turn.js';

/** As `takeTurn` does: handed in, because it is a turn that a chain begins with. */
type Take = (
  state: State,
  history: History,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
  nest: Nest,
) => Advance;

/** Where an origin lies in others. */
export interface Nest {
  /** How many it lies in. */
  readonly depth: number;
  /** Bytes that may still be unpacked. One account for the whole nest: each origin in it takes from `bytes`. */
  readonly left: { bytes: number };
}

/** The nest of what no other origin carries. */
export function outermost(): Nest {
  return { depth: 0, left: { bytes: mostUnpacked } };
}

export function adopt(begun: Advance, input: ChainInput, take: Take, hashing?: Hashing, nest = outermost()): Advance {
  // What has no input to be read has ended already.
  if (begun.state.stop !== null || input.origin === undefined) return begun;
  const { origin } = input;
  // Invariant 1: whoever does not hash the fork's own facts hashes these.
  const sha256 = typeof hashing === 'object' ? hashing.onlyOrigins : hashing;
  const taken = isOrigin(origin) ? retake(origin, take, sha256, nest) : null;
  if (taken === null) {
    return andThen(begun, (state) => stopWith(state, 'failure', { code: 'unreadable_origin' }));
  }
  const kept = taken.entries.flatMap((entry) => keptOf(entry, taken));
  const adopted = andThen(begun, (state) => emit(goneOnWith(state, taken, origin), ...kept));
  const { message: text } = origin;
  if (text === null) return adopted;
  return andThen(adopted, (state) => {
    const message = { text, by: input.user, afterStep: origin.steps, at: state.now };
    return emit(addBytes(state, messageBytes(message)), { type: 'message', at: state.now, message });
  });
}

/** Levels of a turn's facts. Each value in them has 200 at most; the facts themselves lie around these. */
const deepestFacts = 220;

interface Taken {
  readonly state: State;
  readonly agent: AgentSnapshot;
  readonly entries: readonly Entry[];
}

/** Invariant 1. Facts that no workflow ever held may not even be facts: whatever they do, the fork is told. */
function retake(origin: Origin, take: Take, sha256: Sha256 | undefined, nest: Nest): Taken | null {
  try {
    return hasRoom(origin, nest) ? retaken(origin, take, sha256, { ...nest, depth: nest.depth + 1 }) : null;
  } catch (error) {
    throwIfOfMachine(error);
    return null;
  }
}

/** Takes from what is left, whatever becomes of the origin: to read it costs time even if it is refused in the end. */
function hasRoom({ turns }: Origin, { depth, left }: Nest): boolean {
  left.bytes -= unpackedBytes(turns);
  return depth < deepestFork && left.bytes >= 0;
}

function retaken(origin: Origin, take: Take, sha256: Sha256 | undefined, nest: Nest): Taken | null {
  let state = emptyState;
  const entries: Entry[] = [];
  for (const { history, facts } of unpackTurns(origin.turns) ?? []) {
    // Code that reads facts may recurse, and a stack that runs out is thrown on.
    if (isTooDeep(facts, deepestFacts)) return null;
    const turn = take(state, history, facts, sha256, nest);
    state = turn.state;
    entries.push(...turn.entries);
  }
  const { agent, head, steps, flight } = state;
  if (agent === null || head !== origin.digest || steps !== origin.steps || flight.kind === 'calls') return null;
  return depthOfFork(state) > deepestFork ? null : { state, agent, entries };
}

/** Invariant 2. */
function goneOnWith(begun: State, { state, agent, entries }: Taken, origin: Origin): State {
  const { chainId, runId, steps } = origin;
  const ref: OriginRef = {
    ...{ chainId, runId, steps },
    model: agent.model.name,
    strategy: agent.strategy.name,
    definition: agent.digest,
    tools: (knownTools(state) ?? []).map(({ name, view }) => ({ name, view })),
    depth: depthOfFork(state),
    bytes: spokenBytes(record(emptyRecord, state, entries)),
  };
  return {
    ...begun,
    origin: ref,
    steps,
    // A call that its last turn began is none of ours.
    modelCalls: state.flight.kind === 'model' ? state.modelCalls - 1 : state.modelCalls,
    context: state.context,
    scratchpad: state.scratchpad,
    found: state.found,
    plan: state.plan,
    planning: state.planning,
  };
}

/** What readers are told of an origin: its steps, what people said, and what explains these. */
function keptOf(entry: Entry, { state }: Taken): readonly Entry[] {
  switch (entry.type) {
    case 'started':
    case 'prepared':
    // Its sub-chains are its own: they stand in its history.
    case 'chainBegun':
    case 'chainEnded':
      return [];
    case 'step':
      return [{ ...entry, step: unpaid(readable(entry.step, state)) }];
    case 'notice':
      // Those behind the last step told how the origin went on or ended. An effect in doubt stays in doubt.
      return entry.notice.step < state.steps || entry.notice.kind === 'unknown' ? [entry] : [];
    case 'message':
    case 'paused':
    case 'observation':
    case 'asked':
    case 'decided':
    case 'planned':
    case 'guided':
      return [entry];
  }
}

/** The origin may have been forked itself, and have gone on by another model than it began with. */
function readable(step: Step, state: State): Step {
  return saidByAnother(state, step.number) ? { ...step, content: withoutThinking(step.content) } : step;
}

/** It was paid for in the origin. */
function unpaid(step: Step): Step {
  const { charged: _, ...said } = step;
  return { ...said, usage: noUsage, costUsd: step.costUsd === null ? null : 0 };
}
