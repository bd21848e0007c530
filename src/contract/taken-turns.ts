/**
 * The sink by which a workflow passes its turns to its worker, so that a model call there need not read them back; and what
 * a call had to read.
 */

import type { Fact, HistorySize } from '../core/model/index.js';

/** What a turn was taken from. */
export interface TakenTurn {
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
}

/** A type, since the SDK requires an index signature. */
export type TurnSinks = {
  longhandTurns: { taken: (turn: TakenTurn) => void };
};

/** How a model call got its chain. */
export interface FoldRead {
  /** `cache`: nothing was read. `since`: the events since the cached fold. `start`: the whole history. */
  readonly source: 'cache' | 'since' | 'start';
  /** Bytes of history that were read. */
  readonly bytes: number;
}
