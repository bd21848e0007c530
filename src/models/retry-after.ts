/** How long a provider asks to wait, from its answer's headers. */

/**
 * Milliseconds, or null where the headers do not say. `retry-after-ms` is exact and goes first;
 * `retry-after` is in seconds, or a date.
 *
 * @param now milliseconds since 1970, which a date is counted from
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = amount(headers.get('retry-after-ms'));
  if (exact !== null) return Math.ceil(exact);
  const said = headers.get('retry-after');
  const seconds = amount(said);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = said === null ? Number.NaN : Date.parse(said);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function amount(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const value = Number(header);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
