/**
 * One workflow task of a chain: the facts it delivered, then what they call for. The workflow takes
 * turns as they come, a reader takes the same turns from the history; both arrive at the same state (L1). Pure,
 * like everything in this folder (L3): time and ids come in as values.
 */

import { toldOfBegun, toldOfEnded } from '../delegation/tell-chains.js';
import type { Action } from '../model/action.js';
import type { Fact } from '../model/fact.js';
import type { History, State } from '../model/state.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import type { Entry } from '../state/entry.js';
import { adopt, type Nest, outermost } from './adopt.js';
import { advance, type Hashing } from './advance.js';
import { begin } from './begin.js';
import { orContinue } from './continue-as-new.js';
import { decide } from './decide.js';
import { endByFault, endUndecided } from './fault.js';

export interface Turn {
  readonly state: State;
  readonly entries: readonly Entry[];
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
export function takeTurn(state: State, history: History, facts: readonly Fact[], hashing?: Hashing): Turn {
  return takeIn(outermost(), state, history, facts, hashing);
}

function takeIn(
  nest: Nest,
  state: State,
  history: History,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
): Turn {
  let next: State = { ...state, history };
  const entries: Entry[] = [];
  const faults: unknown[] = [];
  for (const fact of facts) {
    const advanced = contain(
      () => advanceAndTell(next, fact, hashing, nest),
      (error) => endByFault(next, fact, error, hashing),
      faults,
    );
    next = advanced.state;
    entries.push(...advanced.entries);
  }
  const decided = contain(
    () => decideAndBegin(next),
    (error) => ({ state: endUndecided(next, error), entries: [], actions: [{ type: 'end' }] as const }),
    faults,
  );
  const fault = faults.length === 0 ? {} : { fault: faults[0] };
  return { state: decided.state, entries: [...entries, ...decided.entries], actions: decided.actions, ...fault };
}

function contain<T>(run: () => T, end: (error: unknown) => T, faults: unknown[]): T {
  try {
    return run();
  } catch (error) {
    const ended = end(error);
    faults.push(error);
    return ended;
  }
}

function advanceAndTell(state: State, fact: Fact, hashing: Hashing | undefined, nest: Nest): Advance {
  return andThen(emit(state, ...toldOfEnded(state, fact)), (told) => advanceWithOrigin(told, fact, hashing, nest));
}

function decideAndBegin(state: State): Turn {
  const actions = orContinue(state, decide(state));
  return { state: actions.reduce(begin, state), entries: toldOfBegun(state, actions), actions };
}

/** As the turns of an origin are retaken: one that throws is no origin, and the fork is told. */
function retakeTurn(
  state: State,
  history: History,
  facts: readonly Fact[],
  hashing: Hashing | undefined,
  nest: Nest,
): Turn {
  const turn = takeIn(nest, state, history, facts, hashing);
  if ('fault' in turn) throw turn.fault;
  return turn;
}

/** What another chain began comes with the start of a fork, and with the agent of a branch, which reads it itself. */
function advanceWithOrigin(state: State, fact: Fact, hashing: Hashing | undefined, nest: Nest): Advance {
  if (fact.type === 'started' && state.input === null) {
    return adopt(advance(state, fact, hashing), fact.input, retakeTurn, hashing, nest);
  }
  if (fact.type !== 'prepared' || fact.origin === undefined || state.input === null || state.agent !== null) {
    return advance(state, fact, hashing);
  }
  const adopted = adopt(emit(state), { ...state.input, origin: fact.origin }, retakeTurn, hashing, nest);
  return andThen(adopted, (next) => advance(next, fact, hashing));
}
