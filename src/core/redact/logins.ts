/** Finds credentials of requests. In headers the scheme remains visible, in URLs all but the password. */

import { blank, type Finder, type Finding, findMatchEnd } from './finding.js';
import { isBasicLogin, isPlaceholder, isStrong } from './secret-values.js';

/** The header's name, then a colon or an equals sign, with the quotes of JSON and code. */
const header =
  /(?<![A-Za-z0-9])(?:(proxy-)?authorization|(set-)?cookie)(?:\\{0,8}["'`])?\]?\s{0,4}(?::|=>?|,)\s{0,4}(?:f?\\{0,8}["'`])?/gi;
const scheme =
  /(?:Bearer|Basic|Token|Digest|OAuth|Hawk|Signature|ApiKey|Api-Key|Negotiate|NTLM|GenieKey|SSWS|Bot|AWS4-HMAC-SHA256)[ \t]{1,4}/iy;
const listScheme = /(?:Digest|OAuth|Hawk|Signature|AWS4-HMAC-SHA256)[ \t]{1,4}(?=[\w-]{1,40}=(?:\\{0,8}"|[^\s=]))/iy;
const credential = /[^\s"'`<>\\,;)\]}]{1,4096}/y;
const restOfLine = /[^\n\r"'`\\]{1,4096}/y;
const bearer = /(?<![A-Za-z0-9])(bearer|basic)(?:\s|%20|\+){1,4}(?<it>[A-Za-z0-9._~+/=-]{8,4096})/dgi;
const notCredential =
  /^(?:token|tokens|auth|authentication|required|none|null|undefined|true|false|string|header|headers)$/i;

export const findHeaderCredentials: Finder = (text) => {
  const findings: Finding[] = [];
  let done = 0;
  for (const match of text.matchAll(header)) {
    const at = match.index + match[0].length;
    if (match.index < done || text[at] === blank) continue;
    const finding = /cookie/i.test(match[0])
      ? findCookie(text, at, match[2] !== undefined)
      : (findListCredential(text, at, match) ?? findCredential(text, at));
    if (finding === null) continue;
    findings.push(finding);
    done = finding.end;
  }
  return findings;
};

function findCredential(text: string, at: number): Finding | null {
  const start = findMatchEnd(text, scheme, at) ?? at;
  const hasScheme = start > at;
  const stop = findMatchEnd(text, credential, start);
  if (stop === null) return null;
  const value = text.slice(start, stop);
  if (value.includes(blank) || isPlaceholder(value) || notCredential.test(value)) return null;
  if (/[({]|^(?:process|os|env|self|this|req|request|config)\./.test(value.slice(0, 100))) return null;
  // `authorization: token based`
  if (/^[a-z]{1,19}$/i.test(value) && /^ [a-z]/i.test(text.slice(stop, stop + 2))) return null;
  if (hasScheme ? value.length < 3 : !isStrong(value) || /^[a-z]+[_.-]?[a-z]+$/i.test(value)) return null;
  return { start, end: stop, kind: 'token' };
}

/** Finds a digest or signature: a list of members, masked as one. */
function findListCredential(text: string, at: number, header: RegExpExecArray): Finding | null {
  listScheme.lastIndex = at;
  if (!listScheme.test(text)) return null;
  const start = listScheme.lastIndex;
  const before = text.slice(Math.max(0, header.index - 9), header.index);
  const quotes = /\\{0,8}["'`]$/.exec(header[0])?.[0] ?? /\\{0,8}["'`]$/.exec(before)?.[0] ?? '';
  const value = text.slice(start, findClosingQuote(text, start, quotes)).trimEnd();
  return value === '' || value.includes(blank) ? null : { start, end: start + value.length, kind: 'token' };
}

/** Returns where a quoted value ends, or the line. Quotes within the value are escaped deeper, or of another kind. */
function findClosingQuote(text: string, start: number, quotes: string): number {
  const line = /^[^\n\r]{0,4096}/.exec(text.slice(start, start + 4096))?.[0] ?? '';
  const [quote, escapes] = [quotes.at(-1), quotes.length - 1];
  let slashes = 0;
  for (let at = 0; at < line.length && quote !== undefined; at++) {
    if (line[at] === quote && slashes <= escapes) return start + at - slashes;
    slashes = line[at] === '\\' ? slashes + 1 : 0;
  }
  return start + line.length;
}

/** Finds all cookies of a request; of `Set-Cookie` only the value, since its attributes are no secret. */
function findCookie(text: string, at: number, isSet: boolean): Finding | null {
  const stop = findMatchEnd(text, restOfLine, at);
  if (stop === null) return null;
  const line = text.slice(at, stop);
  const pair = /^[\w!#$%&*+.^|~-]{1,100}=(?<value>[^;\s]{1,4000})/d.exec(line);
  if (pair === null) return null;
  const [from, to] = pair.indices?.groups?.value ?? [0, 0];
  if (line.slice(from, to).includes(blank)) return null;
  if (isPlaceholder(line.slice(from, to))) return null;
  return isSet
    ? { start: at + from, end: at + to, kind: 'secret' }
    : { start: at + from, end: at + line.trimEnd().length, kind: 'secret' };
}

/** Finds `Bearer …` and `Basic …` without the header's name. Both are also words: no plain word may follow. */
export const findSchemeCredentials: Finder = (text) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(bearer)) {
    const [start, stop] = match.indices?.groups?.it ?? [0, 0];
    const value = text.slice(start, stop);
    const trimmed = value.replace(/[.-]{1,8}$/, '');
    const isProof =
      match[1]?.toLowerCase() === 'basic' ? isBasicLogin(trimmed) : isStrong(trimmed) && /\d/.test(trimmed);
    if (isProof && !isPlaceholder(trimmed)) findings.push({ start, end: start + trimmed.length, kind: 'token' });
  }
  return findings;
};

const urlScheme = /[A-Za-z][A-Za-z0-9+.-]{0,30}$/;
/** The part of a URL that may contain the `@`. It ends at a `/`, so each part is read once. */
const authority = /[^\s/?#"'`<>\\]*/y;
/** A user without a password, long and random: a token. */
const opaque = /^(?=.{0,99}\d)(?=.{0,99}[A-Za-z])[\w-]{20,255}$/;

/** Finds passwords in URLs: only the password of `scheme://user:password@host`, so the host remains readable. */
export const findUrlPasswords: Finder = (text) => {
  const findings: Finding[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const name = urlScheme.exec(text.slice(Math.max(0, at - 31), at))?.[0];
    if (name === undefined) continue;
    const start = at + 3;
    authority.lastIndex = start;
    const inside = authority.exec(text)?.[0] ?? '';
    const host = inside.lastIndexOf('@');
    const odd = findUnescapedPassword(text, start, inside);
    if (odd !== null && (host < 0 || !isCompleteHost(inside.slice(host + 1), /^https?$/i.test(name)))) {
      findings.push(odd);
      continue;
    }
    if (host < 0) continue;
    const colon = inside.indexOf(':');
    const [from, kind] = colon >= 0 && colon < host ? [colon + 1, 'password'] : [0, 'token'];
    const value = inside.slice(from, host);
    if (value === '' || value.includes(blank) || (kind === 'token' && !opaque.test(value))) continue;
    if (!isPlaceholder(value)) findings.push({ start: start + from, end: start + host, kind });
  }
  return findings;
};

/**
 * Returns whether a host and its port end the authority; otherwise the password continues. A web page's URL may have a
 * later `@`; a database's has none, so a host without a dot may be a part of the password.
 */
function isCompleteHost(host: string, isPage: boolean): boolean {
  if (!/^(?:[\w.-]{1,255}|\[[\w:.]{2,60}\])(?::\d{1,5})?(?:,[\w.:,-]{1,300})?$/.test(host)) return false;
  return isPage || /[.:]/.test(host);
}

/** Finds a password with unescaped `/`, `?` or `#`: no port follows the colon, so they are part of the password. */
function findUnescapedPassword(text: string, start: number, inside: string): Finding | null {
  const colon = inside.indexOf(':');
  const password = inside.slice(colon + 1);
  if (colon < 1 || password === '' || /^\d/.test(password) || isPlaceholder(password)) return null;
  const end = /^[^\s"'`<>\\]{1,100}(?=@[\w.-]{1,100}(?::\d{1,5})?(?:[/?\s"',]|$))/.exec(
    text.slice(start + colon + 1, start + colon + 220),
  );
  if (end === null || end[0].includes(blank) || end[0].includes('://')) return null;
  return { start: start + colon + 1, end: start + colon + 1 + end[0].length, kind: 'password' };
}
