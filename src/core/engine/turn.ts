/**
 * One workflow task of a chain: the facts it delivered, then what they call for. The workflow takes
 * turns as they come, a reader takes the same turns from the history; both arrive at the same state (L1). Pure,
 * like everything in this folder (L3): time and ids come in as values.
 */

import { createSubChainEndEntries, createSubChainStartEntries } from '../delegation/sub-chain-entries.js';
import type { Action } from '../model/action.js';
import type { Fact } from '../model/fact.js';
import type { ChainState, HistorySize } from '../model/state.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import type { ChainEntry } from '../state/entry.js';
import { adoptOrigin, createOriginNesting, type OriginNesting } from './adopt-origin.js';
import { advance, type Hashing } from './advance.js';
import { begin } from './begin.js';
import { continueAsNewIfDue } from './continue-as-new.js';
import { decide } from './decide.js';
import { endOnDecideFault, endOnFault } from './fault.js';

export interface Turn {
  readonly state: ChainState;
  readonly entries: readonly ChainEntry[];
  readonly actions: readonly Action[];
  /** The error that ended the chain, for the worker's log. Absent of all other turns. */
  readonly fault?: unknown;
}

/**
 * A fault in this code ends the chain; it is never thrown, except where only this machine may have it (fault.ts).
 *
 * @param history what the history held when the task began, as the server says it
 * @param facts in canonical order: the start, then signals and updates as they came, then results by
 *   the order in which they were scheduled
 * @param hashing a faster one, where the host has it; the workflow's sandbox does not
 */
export function takeTurn(state: ChainState, history: HistorySize, facts: readonly Fact[], hashing?: Hashing): Turn {
  return takeNestedTurn(createOriginNesting(), state, history, facts, hashing);
}

function takeNestedTurn(
  nest: OriginNesting,
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
): Turn {
  let next: ChainState = { ...state, history };
  const entries: ChainEntry[] = [];
  const faults: unknown[] = [];
  for (const fact of facts) {
    const advanced = catchFault(
      () => advanceWithSubChainEntries(next, fact, hashing, nest),
      (error) => endOnFault(next, fact, error, hashing),
      faults,
    );
    next = advanced.state;
    entries.push(...advanced.entries);
  }
  const decided = catchFault(
    () => decideAndBegin(next),
    (error) => ({ state: endOnDecideFault(next, error), entries: [], actions: [{ type: 'end' }] as const }),
    faults,
  );
  const fault = faults.length === 0 ? {} : { fault: faults[0] };
  return { state: decided.state, entries: [...entries, ...decided.entries], actions: decided.actions, ...fault };
}

function catchFault<T>(run: () => T, end: (error: unknown) => T, faults: unknown[]): T {
  try {
    return run();
  } catch (error) {
    const ended = end(error);
    faults.push(error);
    return ended;
  }
}

function advanceWithSubChainEntries(
  state: ChainState,
  fact: Fact,
  hashing: Hashing | undefined,
  nest: OriginNesting,
): Advance {
  return andThen(emit(state, ...createSubChainEndEntries(state, fact)), (told) =>
    advanceWithOrigin(told, fact, hashing, nest),
  );
}

function decideAndBegin(state: ChainState): Turn {
  const actions = continueAsNewIfDue(state, decide(state));
  return { state: actions.reduce(begin, state), entries: createSubChainStartEntries(state, actions), actions };
}

/** As the turns of an origin are retaken: one that throws is no origin, and the fork is told. */
function replayTurn(
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
  nest: OriginNesting,
): Turn {
  const turn = takeNestedTurn(nest, state, history, facts, hashing);
  if ('fault' in turn) throw turn.fault;
  return turn;
}

/** What another chain began comes with the start of a fork, and with the agent of a branch, which reads it itself. */
function advanceWithOrigin(state: ChainState, fact: Fact, hashing: Hashing | undefined, nest: OriginNesting): Advance {
  if (fact.type === 'started' && state.input === null) {
    return adoptOrigin(advance(state, fact, hashing), fact.input, replayTurn, hashing, nest);
  }
  if (fact.type !== 'prepared' || fact.origin === undefined || state.input === null || state.agent !== null) {
    return advance(state, fact, hashing);
  }
  const adopted = adoptOrigin(emit(state), { ...state.input, origin: fact.origin }, replayTurn, hashing, nest);
  return andThen(adopted, (next) => advance(next, fact, hashing));
}
