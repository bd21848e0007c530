/**
 * One turn of a chain: the facts of a workflow task, then the next actions. The workflow takes turns as they arrive; a
 * reader takes the same turns from the history, with the same result (L1). Pure, like everything in this folder (L3): time
 * and ids are passed in as values.
 */

import { type Action, type ChainState, changeState, type Fact, type HistorySize } from '../model/index.js';
import { adoptOrigin, createOriginNesting, type OriginNesting } from './adopt-origin.js';
import { advance, type Hasher } from './advance.js';
import { begin } from './begin.js';
import { continueAsNewIfDue } from './continue-as-new.js';
import { decide } from './decide.js';
import { createSubChainEndEntries, createSubChainStartEntries } from './delegation/sub-chain-entries.js';
import { endOnDecideFault, endOnFault } from './fault.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import type { ChainEntry } from './state/entry.js';

export interface Turn {
  readonly state: ChainState;
  readonly entries: readonly ChainEntry[];
  readonly actions: readonly Action[];
  /** The error that ended the chain, for the worker's log. Absent in all other turns. */
  readonly fault?: unknown;
}

/**
 * Takes a turn. A fault in this code ends the chain; it is thrown only where it may be this machine's alone (fault.ts).
 *
 * @param history size of the history when the task began, as the server reports it
 * @param facts in canonical order: the start, then signals and updates in order of arrival, then results in the order
 *   in which their operations were scheduled
 * @param hasher a faster implementation, where the host has one; the workflow's sandbox does not
 */
export function takeTurn(state: ChainState, history: HistorySize, facts: readonly Fact[], hasher?: Hasher): Turn {
  return takeNestedTurn(createOriginNesting(), state, history, facts, hasher);
}

function takeNestedTurn(
  nesting: OriginNesting,
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hasher: Hasher | undefined,
): Turn {
  let next: ChainState = changeState(state, { history });
  const entries: ChainEntry[] = [];
  const faults: unknown[] = [];
  for (const fact of facts) {
    const advanced = catchFault(
      () => advanceWithSubChainEntries(next, fact, hasher, nesting),
      (error) => endOnFault(next, fact, error, hasher),
    );
    next = advanced.result.state;
    entries.push(...advanced.result.entries);
    faults.push(...advanced.faults);
  }
  const decided = catchFault(
    () => decideAndBegin(next),
    (error) => ({ state: endOnDecideFault(next, error), entries: [], actions: [{ type: 'end' }] as const }),
  );
  faults.push(...decided.faults);
  const fault = faults.length === 0 ? {} : { fault: faults[0] };
  const { state: last, entries: lastEntries, actions } = decided.result;
  return { state: last, entries: [...entries, ...lastEntries], actions, ...fault };
}

interface GuardedResult<T> {
  readonly result: T;
  /** The error that was thrown, if one was. Any value can be thrown. */
  readonly faults: readonly unknown[];
}

/** Returns the result of `run`; where it throws, the result of `end` and the error. */
function catchFault<T>(run: () => T, end: (error: unknown) => T): GuardedResult<T> {
  try {
    return { result: run(), faults: [] };
  } catch (error) {
    return { result: end(error), faults: [error] };
  }
}

function advanceWithSubChainEntries(
  state: ChainState,
  fact: Fact,
  hasher: Hasher | undefined,
  nesting: OriginNesting,
): Advance {
  return andThen(emit(state, ...createSubChainEndEntries(state, fact)), (next) =>
    advanceWithOrigin(next, fact, hasher, nesting),
  );
}

function decideAndBegin(state: ChainState): Turn {
  const actions = continueAsNewIfDue(state, decide(state));
  return { state: actions.reduce(begin, state), entries: createSubChainStartEntries(state, actions), actions };
}

/** Takes a turn of an origin. Throws its fault: such an origin is unreadable. */
function replayTurn(
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hasher: Hasher | undefined,
  nesting: OriginNesting,
): Turn {
  const turn = takeNestedTurn(nesting, state, history, facts, hasher);
  if ('fault' in turn) throw turn.fault;
  return turn;
}

/** Adopts the origin with the start of a fork, or with the agent of a branch, which read it from its parent. */
function advanceWithOrigin(state: ChainState, fact: Fact, hasher: Hasher | undefined, nesting: OriginNesting): Advance {
  if (fact.type === 'started' && state.input === null) {
    return adoptOrigin(advance(state, fact, hasher), fact.input, replayTurn, hasher, nesting);
  }
  if (fact.type !== 'prepared' || fact.origin === undefined || state.input === null || state.agent !== null) {
    return advance(state, fact, hasher);
  }
  const adopted = adoptOrigin(unchanged(state), { ...state.input, origin: fact.origin }, replayTurn, hasher, nesting);
  return andThen(adopted, (next) => advance(next, fact, hasher));
}
