/** Takes turns that were recorded once more: the same facts in the same tasks come to the same chain. */

import type { Sha256 } from '../lib/digest.js';
import type { Action } from '../model/action.js';
import type { Chain } from '../model/chain.js';
import { emptyState, type State } from '../model/state.js';
import { type Entry, emptyRecord, record } from '../state/entry.js';
import type { Hashing } from './head.js';
import type { RecordedTurn } from './recorded-turn.js';
import { takeTurn } from './turn.js';

export interface Refolded {
  readonly chain: Chain;
  readonly turns: readonly TakenTurn[];
}

const noChain: Chain = { ...emptyRecord, state: emptyState };

export interface TakenTurn extends RecordedTurn {
  readonly entries: readonly Entry[];
  readonly state: State;
  readonly actions: readonly Action[];
  /** As of a `Turn`. */
  readonly fault?: unknown;
}

/**
 * @param before the chain that the first of the turns found; default: none
 * @param sha256 a faster one, where the host has it
 */
export function refold(turns: readonly RecordedTurn[], before: Chain = noChain, sha256?: Sha256): Refolded {
  let { state } = before;
  const taken = turns.map((turn): TakenTurn => {
    const next = takeTurn(state, turn.history, turn.facts, sha256);
    state = next.state;
    return { ...turn, ...next };
  });
  const entries = taken.flatMap((turn) => turn.entries);
  return { chain: record(before, state, entries), turns: taken };
}

/**
 * The chain alone. What each turn led to is let go as soon as the next is taken: of a long chain that is more than the chain.
 *
 * @param before the chain that the first of the turns found
 */
export function chainAfter(turns: readonly RecordedTurn[], before: Chain, hashing?: Hashing): Chain {
  let { state } = before;
  const entries: Entry[] = [];
  for (const { history, facts } of turns) {
    const taken = takeTurn(state, history, facts, hashing);
    state = taken.state;
    entries.push(...taken.entries);
  }
  return record(before, state, entries);
}

/** Runs of one chain, each taken onto what those before came to. */
export function refoldRuns<R extends { readonly turns: readonly RecordedTurn[] }>(
  runs: readonly R[],
  sha256?: Sha256,
): readonly ({ readonly run: R } & Refolded)[] {
  let chain = noChain;
  return runs.map((run) => {
    const folded = refold(run.turns, chain, sha256);
    chain = folded.chain;
    return { run, ...folded };
  });
}
