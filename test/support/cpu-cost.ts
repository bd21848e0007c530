/** What work costs, for tests that hold how it grows. */

/**
 * Milliseconds of processor time, the least of three: another process, or the collector of garbage, may take some of each.
 * Never less than a few, so that what takes no time has no share of another.
 */
export function cpuCost(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  });
  return Math.max(3, Math.min(...runs));
}
