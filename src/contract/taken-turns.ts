/** The sink by which a workflow passes its turns to its worker, so that a model call there need not read them back. */

import type { Fact } from '../core/model/fact.js';
import type { HistorySize } from '../core/model/state.js';

/** What a turn was taken from. */
export interface TakenTurn {
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
}

/** A type, since the SDK requires an index signature. */
export type TurnSinks = {
  longhandTurns: { taken: (turn: TakenTurn) => void };
};
