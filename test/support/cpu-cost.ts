/** Costs in processor time, which is independent of other programs. */

/** Returns the processor time of one run in milliseconds. */
export function cpuOnce(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

/**
 * Returns the least processor time of three runs in milliseconds, because garbage collection adds to a single run.
 * The result is at least 3, so that a ratio to a very fast run is meaningful.
 */
export function cpuCost(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => cpuOnce(work));
  return Math.max(3, Math.min(...runs));
}

/**
 * Returns the cost of the larger work as a multiple of the smaller one. Measures the larger one up to three times, until the
 * result is below `allowed`.
 */
export function growth(allowed: number, small: () => unknown, large: () => unknown): number {
  const once = cpuCost(small);
  let cost = Number.POSITIVE_INFINITY;
  for (let left = 3; left > 0 && cost >= allowed * once; left--) cost = Math.min(cost, cpuOnce(large));
  return cost / once;
}
