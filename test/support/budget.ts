/**
 * The number of runs of a test: small by default, and full with `LONGHAND_TEST_LONG=1`, which `.ci/run` sets. Tests of many
 * random chains, resets and kills run only in the long form; vitest.config.ts names the files with nothing else.
 */

import fc from 'fast-check';
import { describe } from 'vitest';

export const isLong = process.env.LONGHAND_TEST_LONG === '1';

/** Omits the suite in the short form. It is not skipped, because a skipped test counts as not passed. */
export const describeLong: (name: string, suite: () => void) => void = isLong ? describe : () => {};

/** A number of runs or of items: `short` by default, `long` in the long form. */
export function budget(short: number, long: number): number {
  return isLong ? long : short;
}

/** The default number of runs of a property. The seed is constant; `LONGHAND_TEST_SEED` overrides it. */
fc.configureGlobal({ seed: Number(process.env.LONGHAND_TEST_SEED ?? 1), numRuns: budget(50, 100) });
