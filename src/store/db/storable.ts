/**
 * Text as every database can hold it: SQLite breaks lone surrogates, and Postgres refuses U+0000. Both become U+FFFD, in what
 * is written and in what is searched for, so that a name is found by what it was given as. They are not left out: `acme` and
 * `acme` with a U+0000 behind it are two tenants.
 */

import { isObject, wellFormed } from '../../core/lib/json.js';

export function storableText(text: string): string {
  const whole = wellFormed(text);
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** The same in all texts of a small value: names, not what somebody said. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return storableText(value) as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, storable(member)])) as T;
}
