/** Keeps the newest interim result of each call until it is read: a slow reader gets fewer, never old ones. */

import type { InterimPiece } from '../../contract/index.js';

export interface InterimQueue {
  /** Ignores repeats and pieces that a newer one has overtaken. @returns whether it was added */
  readonly add: (piece: InterimPiece) => boolean;
  /** Returns the pieces since the last call, and removes them. */
  readonly take: () => readonly InterimPiece[];
  readonly isEmpty: () => boolean;
}

/** Calls that are remembered: more than a step has. */
const maxCalls = 256;

export function createInterimQueue(): InterimQueue {
  const newest = new Map<string, Pick<InterimPiece, 'attempt' | 'sequence'>>();
  const waiting = new Map<string, InterimPiece>();
  return {
    add: (piece) => {
      // A reset repeats the ids of calls, in another run.
      const call = `${piece.runId} ${piece.call}`;
      const last = newest.get(call);
      if (last !== undefined && !isNewer(piece, last)) return false;
      newest.delete(call);
      newest.set(call, { attempt: piece.attempt, sequence: piece.sequence });
      removeOldest(newest);
      waiting.set(call, piece);
      removeOldest(waiting);
      return true;
    },
    take: () => {
      const pieces = [...waiting.values()];
      waiting.clear();
      return pieces;
    },
    isEmpty: () => waiting.size === 0,
  };
}

function isNewer(piece: InterimPiece, last: Pick<InterimPiece, 'attempt' | 'sequence'>): boolean {
  return piece.attempt > last.attempt || (piece.attempt === last.attempt && piece.sequence > last.sequence);
}

function removeOldest(calls: Map<string, unknown>): void {
  const [oldest] = calls.keys();
  if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest);
}
