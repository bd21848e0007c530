/** What proves who asks, in the headers of a request: the scheme stays, what follows it goes. */

import { blank, type Finder, type Finding } from './finding.js';
import { isPlaceholder, isStrong } from './secret-values.js';

/** The name, then a colon or an equals sign, among the quotes of JSON and of code. */
const header =
  /(?<![A-Za-z0-9])(?:(proxy-)?authorization|(set-)?cookie)(?:\\{0,8}["'`])?\]?\s{0,4}(?::|=>?|,)\s{0,4}(?:f?\\{0,8}["'`])?/gi;
const scheme =
  /(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Negotiate|NTLM|GenieKey|SSWS|Bot|AWS4-HMAC-SHA256)[ \t]{1,4}/iy;
const credential = /[^\s"'`<>\\,;)\]}]{1,4096}/y;
const restOfLine = /[^\n\r"'`\\]{1,4096}/y;
const bearer = /(?<![A-Za-z0-9])(bearer|basic)(?:\s|%20|\+){1,4}(?<it>[A-Za-z0-9._~+/=-]{8,4096})/dgi;
const notCredential =
  /^(?:token|tokens|auth|authentication|required|none|null|undefined|true|false|string|header|headers)$/i;

export const headers: Finder = (text) => {
  const found: Finding[] = [];
  let done = 0;
  for (const match of text.matchAll(header)) {
    const at = match.index + match[0].length;
    if (match.index < done || text[at] === blank) continue;
    const finding = /cookie/i.test(match[0]) ? cookieAt(text, at, match[2] !== undefined) : credentialAt(text, at);
    if (finding === null) continue;
    found.push(finding);
    done = finding.end;
  }
  return found;
};

function credentialAt(text: string, at: number): Finding | null {
  const start = end(text, scheme, at) ?? at;
  const named = start > at;
  // A digest and a signature are lists of members, all of them one proof.
  const list = /^(?:digest|aws4)/i.test(text.slice(at, at + 6));
  const stop = end(text, list ? restOfLine : credential, start);
  if (stop === null) return null;
  const value = text.slice(start, stop);
  if (value.includes(blank) || isPlaceholder(value) || notCredential.test(value)) return null;
  if (/[({]|^(?:process|os|env|self|this|req|request|config)\./.test(value.slice(0, 100))) return null;
  // `authorization: token based`
  if (/^[a-z]{1,19}$/i.test(value) && /^ [a-z]/i.test(text.slice(stop, stop + 2))) return null;
  if (named ? value.length < 3 : !isStrong(value) || /^[a-z]+[_.-]?[a-z]+$/i.test(value)) return null;
  return { start, end: stop, kind: 'token' };
}

/** All of a request's cookies; of one that is set its value, since what follows says only how long it lives. */
function cookieAt(text: string, at: number, isSet: boolean): Finding | null {
  const stop = end(text, restOfLine, at);
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

/** `Bearer …` and `Basic …` without the header's name. Both are words too: what follows must be no word. */
export const schemes: Finder = (text) => {
  const found: Finding[] = [];
  for (const match of text.matchAll(bearer)) {
    const [start, stop] = match.indices?.groups?.it ?? [0, 0];
    const value = text.slice(start, stop);
    const trimmed = value.replace(/[.-]{1,8}$/, '');
    const isProof =
      match[1]?.toLowerCase() === 'basic' ? isUserAndPassword(trimmed) : isStrong(trimmed) && /\d/.test(trimmed);
    if (isProof && !isPlaceholder(trimmed)) found.push({ start, end: start + trimmed.length, kind: 'token' });
  }
  return found;
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of `user:password`: nothing but that is printable and has a colon by chance. */
function isUserAndPassword(value: string): boolean {
  let bits = 0;
  let held = 0;
  let colon = false;
  for (const character of value.slice(0, 200).replace(/=+$/, '')) {
    const six = alphabet.indexOf(character);
    if (six < 0) return false;
    bits = ((bits << 6) | six) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    if (byte < 0x20 || byte === 0x7f) return false;
    colon ||= byte === 0x3a;
  }
  return colon;
}

function end(text: string, pattern: RegExp, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
