/**
 * How much tests try: enough to find a broken promise in minutes, and all of it with `LONGHAND_TEST_LONG=1`, as `.ci/run`
 * sets it. Proofs by mass (random chains, resets and kills) run in the long form alone; where they fill a file, it is named
 * in vitest.config.ts.
 */

import fc from 'fast-check';
import { describe } from 'vitest';

export const isLong = process.env.LONGHAND_TEST_LONG === '1';

/** Left out, not skipped: a skipped test counts as one that has not passed. */
export const describeLong: (name: string, suite: () => void) => void = isLong ? describe : () => {};

/** A property's runs, or the size of a crowd. */
export function budget(short: number, long: number): number {
  return isLong ? long : short;
}

/** Runs of a property where it asks for none, from the same seed each time. `LONGHAND_TEST_SEED` names another. */
fc.configureGlobal({ seed: Number(process.env.LONGHAND_TEST_SEED ?? 1), numRuns: budget(50, 100) });
