/** Passwords in addresses: of `scheme://user:password@host` only the password goes, so that the host can be read. */

import { blank, type Finder, type Finding } from './finding.js';
import { isPlaceholder } from './secret-values.js';

const scheme = /[A-Za-z][A-Za-z0-9+.-]{0,30}$/;
/** Up to where an address can have its `@`. What stands in it again, `//`, it cannot have passed: each is read once. */
const authority = /[^\s/?#"'`<>\\]*/y;
/** A user without a password, long and random: a token that stands in for both. */
const opaque = /^(?=.{0,99}\d)(?=.{0,99}[A-Za-z])[\w-]{20,255}$/;

export const urlPasswords: Finder = (text) => {
  const found: Finding[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const name = scheme.exec(text.slice(Math.max(0, at - 31), at))?.[0];
    if (name === undefined) continue;
    const start = at + 3;
    authority.lastIndex = start;
    const inside = authority.exec(text)?.[0] ?? '';
    const host = inside.lastIndexOf('@');
    const odd = oddPassword(text, start, inside);
    if (odd !== null && (host < 0 || !isWhole(inside.slice(host + 1), /^https?$/i.test(name)))) {
      found.push(odd);
      continue;
    }
    if (host < 0) continue;
    const colon = inside.indexOf(':');
    const [from, kind] = colon >= 0 && colon < host ? [colon + 1, 'password'] : [0, 'token'];
    const value = inside.slice(from, host);
    if (value === '' || value.includes(blank) || (kind === 'token' && !opaque.test(value))) continue;
    if (!isPlaceholder(value)) found.push({ start: start + from, end: start + host, kind });
  }
  return found;
};

/**
 * Whether a host and its port end what looks like an authority: else the password goes on behind it. A page's address may
 * have an `@` further on; a database's has none, and a host without a dot may be the half of a password.
 */
function isWhole(host: string, isPage: boolean): boolean {
  if (!/^(?:[\w.-]{1,255}|\[[\w:.]{2,60}\])(?::\d{1,5})?(?:,[\w.:,-]{1,300})?$/.test(host)) return false;
  return isPage || /[.:]/.test(host);
}

/** What follows the colon is no port, so the address does not end at the `/`, `?` or `#`: they stand in the password. */
function oddPassword(text: string, start: number, inside: string): Finding | null {
  const colon = inside.indexOf(':');
  const begun = inside.slice(colon + 1);
  if (colon < 1 || begun === '' || /^\d/.test(begun) || isPlaceholder(begun)) return null;
  const end = /^[^\s"'`<>\\]{1,100}(?=@[\w.-]{1,100}(?::\d{1,5})?(?:[/?\s"',]|$))/.exec(
    text.slice(start + colon + 1, start + colon + 220),
  );
  if (end === null || end[0].includes(blank) || end[0].includes('://')) return null;
  return { start: start + colon + 1, end: start + colon + 1 + end[0].length, kind: 'password' };
}
