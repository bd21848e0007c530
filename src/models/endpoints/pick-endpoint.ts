/** Chooses one of several equal endpoints, by weight and observed latency. Pure: the caller has the random number. */

export interface EndpointLoad {
  /** Share of the calls among endpoints that are equally fast; above 0. */
  readonly weight: number;
  /** Milliseconds of recent calls; null before the first. */
  readonly latencyMs: number | null;
}

/** Milliseconds. A few milliseconds decide nothing: below this, endpoints count as equally fast. */
const leastLatencyMs = 50;

/**
 * Returns the position of an endpoint. Its chance grows with its weight and falls with its latency; an endpoint that was
 * never called counts as the fastest one, so that it is tried.
 *
 * @param random from 0 to below 1
 */
export function pickEndpoint(endpoints: readonly EndpointLoad[], random: number): number {
  const known = endpoints.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  const fastest = Math.min(...known);
  const shares = endpoints.map(
    ({ weight, latencyMs }) => weight / Math.max(leastLatencyMs, latencyMs ?? (known.length === 0 ? 0 : fastest)),
  );
  let left = random * shares.reduce((sum, share) => sum + share, 0);
  const found = shares.findIndex((share) => {
    left -= share;
    return left < 0;
  });
  // Rounding may leave a rest after the last one.
  return found === -1 ? endpoints.length - 1 : found;
}
