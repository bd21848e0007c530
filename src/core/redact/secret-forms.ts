/**
 * How a secret that is known may be written where it must not be: as it is, inside of JSON, of an address, in base64 and
 * in hexadecimal; and the parts of it that open something by themselves.
 *
 * What a program takes apart, turns round or encrypts is not among them: nobody finds that.
 */

import { base64, base64url, hex } from '@scure/base';
import { strToU8 } from 'fflate';
import { isObject } from '../lib/json.js';

/** Shorter ones would be found inside of innocent words and numbers. */
export const shortestSecret = 6;

/** Shorter lines and members of a longer secret say nothing by themselves. */
const shortestPart = 12;

/** Each once. */
export function secretForms(secret: string): readonly string[] {
  const parts = partsOf(secret).filter(({ length }) => length >= shortestSecret);
  const forms = parts.flatMap((part) => [part, ...escaped(part), ...percent(part), ...encoded(part)]);
  return [...new Set(forms)].filter(({ length }) => length >= shortestSecret);
}

/** The whole; the password of an address; each line, since whoever shows values breaks them there; each text in JSON. */
function partsOf(secret: string): readonly string[] {
  const whole = secret.trim();
  const lines = whole.split(/[ \t]*\r?\n[ \t]*/);
  const texts = lines.concat(textsIn(whole).flatMap((text) => [text, ...text.split(/\r?\n/)]));
  return [whole, ...passwordsIn(whole), ...texts.filter(({ length }) => length >= shortestPart)];
}

function passwordsIn(address: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^/:@]*:(.+)@/i.exec(address)?.[1];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}

/** Of a document of credentials: a program that reads it has its members. */
function textsIn(document: string): readonly string[] {
  const found: string[] = [];
  const ahead: unknown[] = [document.startsWith('{') ? parsed(document) : null];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') found.push(next);
    else if (Array.isArray(next) || isObject(next)) ahead.push(...Object.values(next));
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** In JSON, in JSON inside of JSON, and as JavaScript writes a text in single quotes. */
function escaped(part: string): readonly string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const ascii = (text: string) =>
    text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const once = inJson(part);
  const twice = inJson(once);
  const quoted = part.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n');
  return [once, twice, inJson(twice), ascii(once), ascii(twice), once.replaceAll('/', '\\/'), quoted];
}

/** What each writer of addresses leaves as it is: of a part, of a form, of an address, of user and password, of a query. */
const kept = [/[\w.!~*'()-]/, /[\w.*-]/, /[\w.!~*'();,/?:@&=+$#-]/, /[\w.!~*'()$&+,%-]/, /[!$-&(-;=?-~]/];

function percent(part: string): readonly string[] {
  const bytes = [...strToU8(part)];
  return kept.flatMap((keeps) => {
    const upper = bytes.map((byte) => {
      const character = String.fromCharCode(byte);
      return keeps.test(character) ? character : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    });
    const written = upper.join('');
    const lower = upper.map((each) => (each.startsWith('%') ? each.toLowerCase() : each)).join('');
    return [written, lower, written.replaceAll('%20', '+'), lower.replaceAll('%20', '+')];
  });
}

/** In base64 by what stands before it in the same text, such as the user of a `Basic` header: only what no neighbour changes. */
function encoded(part: string): readonly string[] {
  const bytes = strToU8(part);
  const base64s = [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    const first = [0, 2, 3][before];
    const last = Math.floor((shifted.length * 8) / 6);
    return [base64, base64url].map((coder) => coder.encode(shifted).slice(first, last));
  });
  const written = hex.encode(bytes);
  return [...base64s, written, written.toUpperCase()];
}
