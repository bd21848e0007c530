/** All that is to be hidden in a text. The finders look one after the other: what is surest first. */

import { cards, ibans, ssns } from './accounts.js';
import { emails, ipAddresses, macAddresses } from './addresses.js';
import { apiKeys } from './api-keys.js';
import { assignments } from './assignments.js';
import { brokenKeys } from './broken-keys.js';
import { commandLines } from './command-lines.js';
import { deepestEncoding, findEncoded } from './encodings.js';
import { blankOut, type Finder, type Finding, matches, outermost, type Scope } from './finding.js';
import { likely } from './key-names.js';
import { createLabelledNumbers } from './labelled-numbers.js';
import { marksIn } from './labels.js';
import { headers, schemes, urlPasswords } from './logins.js';
import { namedValues } from './named-values.js';
import { phones } from './phones.js';
import { type OptionalKind, optionalKinds, type UserPattern } from './policy.js';
import { jwts, privateKeys } from './signed-keys.js';
import { saidCodes, spokenSecrets } from './spoken-secrets.js';
import { statements } from './statements.js';
import { passwordFiles, passwordHashes, seedPhrases, walletKeys, wifiCodes } from './stored-secrets.js';

/** What is surest first; an optional one with the kind that switches it on. */
const finders: readonly (Finder | readonly [kind: OptionalKind, finder: Finder])[] = [
  ['broken-key', brokenKeys],
  ['wifi-code', wifiCodes],
  ['password-file', passwordFiles],
  ['wallet-key', walletKeys],
  ['password-hash', passwordHashes],
  privateKeys,
  apiKeys,
  jwts,
  urlPasswords,
  headers,
  schemes,
  seedPhrases,
  assignments,
  namedValues,
  commandLines,
  statements,
  spokenSecrets,
  saidCodes,
  ...(['wallet-key', 'hex-key', 'national-id', 'birth-date', 'bank-number'] as const).map(
    (kind) => [kind, createLabelledNumbers(kind)] as const,
  ),
  ['mac-address', macAddresses],
  ['ip-address', ipAddresses],
  emails,
  ibans,
  cards,
  ssns,
  phones,
];

/** What is hidden may have kept its neighbour from being found. Texts need two looks; none gets more than this. */
const looks = 5;

export type Find = (text: string, scope: Scope) => readonly Finding[];

/**
 * In JSON a quote is written `\\"` and a line break `\\n`: a mark that took one half of that would leave no JSON behind.
 */
function wholeEscapes(text: string, { start, end, kind }: Finding): readonly Finding[] {
  const begun = isEscaped(text, start)
    ? (/^(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/.exec(text.slice(start, start + 5))?.[0] ?? '')
    : '';
  const from = start + begun.length;
  const to = isEscaped(text, end) ? end - 1 : end;
  return from < to ? [{ start: from, end: to, kind }] : [];
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > at - 64 && text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Most names and many values are a short word or number: nothing that any finder knows is so short without these. */
function isPlain(text: string, { names }: Scope): boolean {
  return (
    text.length < 15 &&
    names.size === 0 &&
    !likely.test(text) &&
    !/basic|[@=:%]|--|\d{6}|otp|pin|\d[ ().-]{1,2}\d/i.test(text)
  );
}

/** @throws {TypeError} for a pattern of the user that is no regular expression or whose kind cannot stand in a mark. */
export function createFind(kinds: ReadonlySet<string>, patterns: readonly UserPattern[]): Find {
  const own = patterns.map(ownFinder);
  const builtIn = finders
    .flatMap((entry) => (typeof entry === 'function' ? entry : kinds.has(entry[0]) ? entry[1] : []))
    .map(
      (finder): Finder =>
        (text, scope) =>
          finder(text, scope).filter(({ kind }) => kinds.has(kind)),
    );
  const isAsked = own.length > 0 || optionalKinds.some((kind) => kinds.has(kind));
  const find = (text: string, scope: Scope, depth: number): readonly Finding[] => {
    if (!isAsked && isPlain(text, scope)) return [];
    const encoded: Finder = (within) =>
      findEncoded(within, (decoded) => find(decoded, { ...scope, field: '' }, depth + 1).length > 0);
    const all = kinds.has('encoded') && depth < deepestEncoding ? [...own, encoded, ...builtIn] : [...own, ...builtIn];
    const found: Finding[] = [];
    let rest = blankOut(text, marksIn(text));
    for (let look = 0; look < looks; look++) {
      const before = found.length;
      for (const finder of all) {
        const raw = finder(rest, scope);
        if (raw.length === 0) continue;
        const fresh = outermost(raw.flatMap((finding) => wholeEscapes(rest, finding)));
        for (const finding of fresh) found.push(finding);
        rest = blankOut(rest, fresh);
      }
      if (found.length === before) break;
    }
    return outermost(found);
  };
  return (text, scope) => find(text, scope, 0);
}

function ownFinder({ kind, source }: UserPattern): Finder {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(kind)) {
    throw new TypeError(
      `A pattern's kind is made of lower-case letters, digits and dashes, not ${JSON.stringify(kind)}.`,
    );
  }
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'g');
  } catch (error) {
    throw new TypeError(`The pattern of the kind "${kind}" is no regular expression: ${String(error)}`);
  }
  return (text) => matches(text, pattern, kind);
}
