/** Assembles the pieces of replies: removes repeats, because several ways may carry them, and finds gaps. */

import type { TokenPiece } from '../../contract/index.js';

/** A piece with new text. */
export interface NewPiece extends TokenPiece {
  /** Characters of the reply directly before this text that did not arrive. */
  readonly missing: number;
}

/** Attempts whose end is known: the last repeats of an attempt may arrive after the next one has begun. */
const maxAttempts = 16;

/** Returns a function that returns the new part of a piece; null for a repeat. */
export function createPieceAssembler(): (piece: TokenPiece) => NewPiece | null {
  const ends = new Map<string, number>();
  return (piece) => {
    // A reset repeats the names of attempts, in another run.
    const attempt = `${piece.runId} ${piece.call}`;
    const end = ends.get(attempt) ?? 0;
    const newEnd = piece.offset + piece.text.length;
    if (newEnd <= end) return null;
    ends.set(attempt, newEnd);
    const [oldest] = ends.keys();
    if (ends.size > maxAttempts && oldest !== undefined) ends.delete(oldest);
    const repeated = Math.max(0, end - piece.offset);
    return {
      ...piece,
      offset: piece.offset + repeated,
      text: piece.text.slice(repeated),
      missing: Math.max(0, piece.offset - end),
    };
  };
}
