/** The header `retry-after`: seconds, also with a fraction, or a date. Callers bound the wait: the sender may state any. */

/**
 * Returns milliseconds from now, 0 for a date that has passed; null for anything else.
 *
 * @param now milliseconds since 1970, the base of a date
 */
export function parseRetryAfter(text: string | null | undefined, now: number): number | null {
  const seconds = parseAmount(text);
  if (seconds !== null) return Math.ceil(seconds * 1_000);
  // `Date.parse` reads a negative number as a year.
  const date = /[a-z]/i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Returns a finite amount from 0; null for anything else. */
export function parseAmount(text: string | null | undefined): number | null {
  if (text === null || text === undefined || text.trim() === '') return null;
  const amount = Number(text);
  return Number.isFinite(amount) && amount >= 0 ? amount : null;
}
