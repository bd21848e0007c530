/** Finds which of many chains were started first, with counts alone: the server lists the latest starts first. */

/** Counts after which an imprecise answer is taken. */
const maxCounts = 40;

const minuteMs = 60_000;

/** A time, and the number of chains that were started until then. */
interface StartPoint {
  readonly ms: number;
  readonly count: number;
}

/**
 * Returns a condition for `least` to one and a half times as many chains: those of the query that were started first. Finds more where many were
 * started in the same millisecond.
 *
 * @param count counts the chains of the query that meet a condition as well
 * @param total the number of chains that the query finds, more than `least`
 */
export async function findFirstStarts(count: (query: string) => Promise<number>, least: number, total: number) {
  const countUntil = async (ms: number): Promise<StartPoint> => ({ ms, count: await count(formatUntil(ms)) });
  const now = Date.now();
  let upper: StartPoint = { ms: now, count: total };
  let lower: StartPoint = { ms: 0, count: 0 };
  for (let ageMs = minuteMs; ageMs < now; ageMs *= 8) {
    const point = await countUntil(now - ageMs);
    if (point.count < least) {
      lower = point;
      break;
    }
    upper = point;
  }
  for (let counts = 0; counts < maxCounts && upper.count > 1.5 * least && upper.ms - lower.ms > 1; counts += 1) {
    const ms = Math.round(guessTime(lower, upper, { now, counts, wanted: 1.25 * least }));
    const point = await countUntil(Math.max(lower.ms + 1, Math.min(upper.ms - 1, ms)));
    if (point.count < least) lower = point;
    else upper = point;
  }
  return { until: formatUntil(upper.ms), count: upper.count };
}

/** Starts are often even in time, from a first one whose age has any order of magnitude. */
function guessTime(
  lower: StartPoint,
  upper: StartPoint,
  { now, counts, wanted }: { readonly now: number; readonly counts: number; readonly wanted: number },
): number {
  if (lower.count === 0 && counts % 2 === 0) return now - Math.sqrt(Math.max(1, now - upper.ms) * (now - lower.ms));
  const share = counts % 3 === 2 ? 0.5 : (wanted - lower.count) / (upper.count - lower.count);
  return lower.ms + share * (upper.ms - lower.ms);
}

function formatUntil(ms: number): string {
  return `StartTime <= '${new Date(ms).toISOString()}'`;
}
