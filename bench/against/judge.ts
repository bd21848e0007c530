/** Judges paired costs of two builds: by how much the new one is dearer, and how certain that is. */

import { promises } from '../promises.js';
import { median } from '../repeat.js';

/** Probability, at each side, that the bounds miss the true median. */
const error = 0.05;

export interface Ratio {
  readonly median: number;
  /** Bounds of the true median. A side without enough pairs has the least or the greatest ratio. */
  readonly low: number;
  readonly high: number;
}

export type Verdict = 'kept' | 'slower';

export interface Pair {
  /** CPU time of the same work in milliseconds. */
  readonly old: number;
  readonly new: number;
}

/**
 * Computes the median of the pairs' ratios with bounds from order statistics, which assume nothing about the noise.
 *
 * @param pairs of independent processes: what one process compiles or places in memory by chance is in all of its runs
 */
export function computeRatio(pairs: readonly Pair[]): Ratio {
  const ratios = pairs.map((pair) => pair.new / pair.old).sort((a, b) => a - b);
  const rank = computeBoundRank(ratios.length);
  return {
    median: median(ratios),
    low: ratios[rank] ?? Number.NaN,
    high: ratios[ratios.length - 1 - rank] ?? Number.NaN,
  };
}

/** Whether more pairs could change the verdict: the bounds enclose the allowance. */
export function isDoubtful({ low, high }: Ratio): boolean {
  return low <= promises.againstRatio && high > promises.againstRatio;
}

/** A median above the allowance counts where the bounds exclude that the builds are equal: chance alone is no alarm. */
export function judge({ low, median }: Ratio): Verdict {
  return median > promises.againstRatio && low > 1 ? 'slower' : 'kept';
}

/** Returns the greatest index from 0 whose order statistic is above the true median with a probability of at most `error`. */
function computeBoundRank(count: number): number {
  let rank = 0;
  let probability = 2 ** -count;
  let below = probability;
  for (let k = 1; k < count / 2; k += 1) {
    probability *= (count - k + 1) / k;
    below += probability;
    if (below > error) break;
    rank = k;
  }
  return rank;
}
