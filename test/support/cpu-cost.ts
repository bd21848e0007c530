/** What work costs in processor time, which other programs take nothing of. */

/** Milliseconds of processor time of one run. */
export function cpuOnce(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

/**
 * Milliseconds of processor time, the least of three: another process, or the collector of garbage, may take some of each.
 * Never less than a few, so that what takes no time has no share of another.
 */
export function cpuCost(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => cpuOnce(work));
  return Math.max(3, Math.min(...runs));
}

/**
 * How many times more the larger work costs than the smaller one. It is measured again, three times at most, while that is
 * more than `allowed`.
 */
export function growth(allowed: number, small: () => unknown, large: () => unknown): number {
  const once = cpuCost(small);
  let cost = Number.POSITIVE_INFINITY;
  for (let left = 3; left > 0 && cost >= allowed * once; left--) cost = Math.min(cost, cpuOnce(large));
  return cost / once;
}
