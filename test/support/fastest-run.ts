/** Elapsed time of work that waits for something. Pauses of a busy machine only add to it, so that the fastest run counts. */

const mostRuns = 10;

/** Returns the milliseconds of the fastest run. Repeats the work until one takes less than `allowed`, some times at most. */
export async function measureFastest(allowed: number, work: () => Promise<unknown>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < mostRuns && fastest >= allowed; run += 1) {
    const began = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}
