/**
 * Folds recorded turns again: equal facts in equal tasks give an equal chain. A fork begins with such turns, cut at the end
 * of the task that completed a step.
 */

import type { Sha256 } from '../lib/digest.js';
import type { Action } from '../model/action.js';
import type { Chain } from '../model/chain.js';
import type { Origin } from '../model/origin.js';
import { emptyState, type State } from '../model/state.js';
import { type Entry, emptyRecord, record } from '../state/entry.js';
import { completeSteps } from '../state/flight.js';
import type { Hashing } from './advance.js';
import { carriedTurns, packTurns, type RecordedTurn } from './recorded-turn.js';
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

export interface Until {
  readonly turns: readonly RecordedTurn[];
  /** What they come to. */
  readonly state: State;
}

/**
 * To the end of the workflow task that completed the step. A step that is an origin's own lies in what that one carries.
 * Null where there is no such step.
 */
export function turnsUntil(turns: readonly TakenTurn[], steps: number): Until | null {
  const last = turns.findIndex(({ state }) => completeSteps(state) >= steps);
  const taken = turns[last];
  const inner = carriedTurns(turns);
  const isOwn = last > 0 && taken !== undefined && steps > (taken.state.origin?.steps ?? 0);
  if (isOwn) return { turns: turns.slice(0, last + 1), state: taken.state };
  if (inner !== null) return turnsUntil(refold(inner).turns, steps);
  return taken === undefined ? null : { turns: turns.slice(0, last + 1), state: taken.state };
}

export function originOf(
  { chainId, runId }: Pick<Origin, 'chainId' | 'runId'>,
  { turns, state }: Until,
  steps: number,
  message: string | null,
): Origin {
  return { chainId, runId, steps, digest: state.head, turns: packTurns(turns), message };
}
