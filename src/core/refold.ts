/** Takes turns that were recorded once more: the same facts in the same tasks come to the same chain. */

import type { Chain } from './chain.js';
import type { Action } from './decide.js';
import { type Entry, emptyRecord, record } from './entry.js';
import type { RecordedTurn } from './recorded-turn.js';
import { emptyState, type State } from './state.js';
import { takeTurn } from './turn.js';

export interface TakenTurn extends RecordedTurn {
  readonly entries: readonly Entry[];
  readonly state: State;
  readonly actions: readonly Action[];
}

export function refold(turns: readonly RecordedTurn[]): {
  readonly chain: Chain;
  readonly turns: readonly TakenTurn[];
} {
  let state = emptyState;
  const taken = turns.map((turn): TakenTurn => {
    const next = takeTurn(state, turn.history, turn.facts);
    state = next.state;
    return { ...turn, entries: next.entries, state, actions: next.actions };
  });
  const entries = taken.flatMap((turn) => turn.entries);
  return { chain: record(emptyRecord, state, entries), turns: taken };
}
