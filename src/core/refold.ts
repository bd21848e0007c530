/** Takes turns that were recorded once more: the same facts in the same tasks come to the same chain. */

import type { Chain } from './chain.js';
import type { ChainRun } from './chain-file.js';
import type { Action } from './decide.js';
import type { Hashing, Sha256 } from './digest.js';
import { type Entry, emptyRecord, record } from './entry.js';
import type { RecordedTurn } from './recorded-turn.js';
import { closeOf } from './result.js';
import { emptyState, type State } from './state.js';
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
 * A fault ends a chain, and the chain's close says so. Facts that meet a fault and were closed otherwise are no chain's.
 *
 * @throws the fault
 */
export function checkFaults({ chain, turns }: Refolded, last: Pick<ChainRun, 'closed' | 'result'> | undefined): void {
  const faulty = turns.find((turn) => 'fault' in turn);
  if (faulty === undefined) return;
  const said = last?.result?.reason === closeOf(chain.state).reason;
  if (!said && last?.closed !== 'canceled') throw faulty.fault;
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
