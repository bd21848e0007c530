/**
 * Folds recorded turns: equal facts in equal turns give an equal chain. A fork starts with such turns, up to the workflow
 * task that completed a step.
 */

import type { Sha256 } from '../lib/index.js';
import { type Action, type Chain, type ChainState, emptyState, type Origin } from '../model/index.js';
import type { Hasher } from './advance.js';
import { findOriginTurns, packTurns, type RecordedTurn } from './recorded-turn.js';
import { type ChainEntry, emptyRecord, recordEntries } from './state/entry.js';
import { countCompleteSteps } from './state/flight.js';
import { takeTurn } from './turn.js';

export interface TurnFoldResult {
  readonly chain: Chain;
  readonly turns: readonly FoldedTurn[];
}

const emptyChain: Chain = { ...emptyRecord, state: emptyState };

export interface FoldedTurn extends RecordedTurn {
  readonly entries: readonly ChainEntry[];
  readonly state: ChainState;
  readonly actions: readonly Action[];
  /** The error that ended the chain, as in a `Turn`. */
  readonly fault?: unknown;
}

/**
 * Folds turns and returns each turn's result.
 *
 * @param before the chain before the first turn; default: none
 * @param sha256 a faster implementation, where the host has one
 */
export function foldRecordedTurns(
  turns: readonly RecordedTurn[],
  before: Chain = emptyChain,
  sha256?: Sha256,
): TurnFoldResult {
  let { state } = before;
  const taken = turns.map((turn): FoldedTurn => {
    const next = takeTurn(state, turn.history, turn.facts, sha256);
    state = next.state;
    return { ...turn, ...next };
  });
  const entries = taken.flatMap((turn) => turn.entries);
  return { chain: recordEntries(before, state, entries), turns: taken };
}

/**
 * Folds turns and returns the chain alone, without each turn's result: for a long chain these take more memory than it.
 *
 * @param before the chain before the first turn
 */
export function foldChain(turns: readonly RecordedTurn[], before: Chain, hasher?: Hasher): Chain {
  let { state } = before;
  const entries: ChainEntry[] = [];
  for (const { history, facts } of turns) {
    const taken = takeTurn(state, history, facts, hasher);
    state = taken.state;
    entries.push(...taken.entries);
  }
  return recordEntries(before, state, entries);
}

/** Folds the runs of one chain, each starting from the result of the runs before. */
export function foldRecordedRuns<R extends { readonly turns: readonly RecordedTurn[] }>(
  runs: readonly R[],
  sha256?: Sha256,
): readonly ({ readonly run: R } & TurnFoldResult)[] {
  let chain = emptyChain;
  return runs.map((run) => {
    const folded = foldRecordedTurns(run.turns, chain, sha256);
    chain = folded.chain;
    return { run, ...folded };
  });
}

export interface TurnPrefix {
  readonly turns: readonly RecordedTurn[];
  /** The state after these turns. */
  readonly state: ChainState;
}

/**
 * Returns the turns up to the workflow task that completed the step. A step of an origin is in the turns that the origin
 * carries. Null if the step does not exist.
 */
export function findTurnPrefix(turns: readonly FoldedTurn[], step: number): TurnPrefix | null {
  const last = turns.findIndex(({ state }) => countCompleteSteps(state) >= step);
  const taken = turns[last];
  const inner = findOriginTurns(turns);
  const isOwn = last > 0 && taken !== undefined && step > (taken.state.origin?.steps ?? 0);
  if (isOwn) return { turns: turns.slice(0, last + 1), state: taken.state };
  // The step belongs to the origin.
  if (inner !== null) return findTurnPrefix(foldRecordedTurns(inner).turns, step);
  return taken === undefined ? null : { turns: turns.slice(0, last + 1), state: taken.state };
}

export function toOrigin(
  { chainId, runId }: Pick<Origin, 'chainId' | 'runId'>,
  { turns, state }: TurnPrefix,
  steps: number,
  message: string | null,
): Origin {
  return { chainId, runId, steps, digest: state.head, turns: packTurns(turns), message };
}
