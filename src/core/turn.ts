/**
 * One workflow task of a chain: the facts it delivered, then what they call for. The workflow takes
 * turns as they come, a reader takes the same turns from the history; both arrive at the same state (L1). Pure,
 * like everything in this folder (L3): time and ids come in as values.
 */

import { adopt } from './adopt.js';
import { advance } from './advance.js';
import { begin } from './begin.js';
import { type Action, decide } from './decide.js';
import { toldOfBegun, toldOfEnded } from './delegate/tell-chains.js';
import type { Hashing } from './digest.js';
import type { Entry } from './entry.js';
import type { Fact } from './fact.js';
import { orContinue } from './seam.js';
import type { History, State } from './state.js';
import type { Advance } from './stop.js';

export interface Turn {
  readonly state: State;
  readonly entries: readonly Entry[];
  readonly actions: readonly Action[];
}

/**
 * @param history what the history held when the task began, as the server says it
 * @param facts in canonical order: the start, then signals and updates as they came, then results by
 *   the order in which they were scheduled
 * @param hashing a faster one, where the host has it; the workflow's sandbox does not
 */
export function takeTurn(state: State, history: History, facts: readonly Fact[], hashing?: Hashing): Turn {
  let next: State = { ...state, history };
  const entries: Entry[] = [];
  for (const fact of facts) {
    const ended = toldOfEnded(next, fact);
    const advanced = advanceWithOrigin(next, fact, hashing);
    next = advanced.state;
    entries.push(...ended, ...advanced.entries);
  }
  const actions = orContinue(next, decide(next));
  entries.push(...toldOfBegun(next, actions));
  return { state: actions.reduce(begin, next), entries, actions };
}

/** What another chain began comes with the start of a fork, and with the agent of a branch, which reads it itself. */
function advanceWithOrigin(state: State, fact: Fact, hashing: Hashing | undefined): Advance {
  if (fact.type === 'started' && state.input === null) {
    return adopt(advance(state, fact, hashing), fact.input, takeTurn, hashing);
  }
  if (fact.type !== 'prepared' || fact.origin === undefined || state.input === null || state.agent !== null) {
    return advance(state, fact, hashing);
  }
  const adopted = adopt({ state, entries: [] }, { ...state.input, origin: fact.origin }, takeTurn, hashing);
  const advanced = advance(adopted.state, fact, hashing);
  return { state: advanced.state, entries: [...adopted.entries, ...advanced.entries] };
}
