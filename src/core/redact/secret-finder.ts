/** Finds all secrets in a text. The finders run one after the other, the most certain first. */

import { LonghandError } from '../lib/index.js';
import { findCards, findIbans, findSsns } from './accounts.js';
import { findEmails, findIpAddresses, findMacAddresses } from './addresses.js';
import { findApiKeys } from './api-keys.js';
import { findAssignments } from './assignments.js';
import { findBrokenKeys } from './broken-keys.js';
import { findCommandLineSecrets } from './command-lines.js';
import { deepestEncoding, findEncoded } from './encodings.js';
import { blankOut, type Finder, type FinderContext, type Finding, findMatches, selectOutermost } from './finding.js';
import { likelySecretName } from './key-names.js';
import { createLabelledNumberFinder } from './labelled-numbers.js';
import { findMarks } from './labels.js';
import { findHeaderCredentials, findSchemeCredentials, findUrlPasswords } from './logins.js';
import { findNamedValues } from './named-values.js';
import { findPhones } from './phones.js';
import { type OptionalKind, optionalKinds, type UserPattern } from './policy.js';
import { findJwts, findPrivateKeys } from './signed-keys.js';
import { findSpokenCodes, findSpokenSecrets } from './spoken-secrets.js';
import { findStatementSecrets } from './statements.js';
import {
  findPasswordFiles,
  findPasswordHashes,
  findSeedPhrases,
  findWalletKeys,
  findWifiCodes,
} from './stored-secrets.js';

/** The most certain first; an optional finder with the kind that enables it. */
const finders: readonly (Finder | readonly [kind: OptionalKind, finder: Finder])[] = [
  ['broken-key', findBrokenKeys],
  ['wifi-code', findWifiCodes],
  ['password-file', findPasswordFiles],
  ['wallet-key', findWalletKeys],
  ['password-hash', findPasswordHashes],
  findPrivateKeys,
  findApiKeys,
  findJwts,
  findUrlPasswords,
  findHeaderCredentials,
  findSchemeCredentials,
  findSeedPhrases,
  findAssignments,
  findNamedValues,
  findCommandLineSecrets,
  findStatementSecrets,
  findSpokenSecrets,
  findSpokenCodes,
  ...(['wallet-key', 'hex-key', 'national-id', 'birth-date', 'bank-number'] as const).map(
    (kind) => [kind, createLabelledNumberFinder(kind)] as const,
  ),
  ['mac-address', findMacAddresses],
  ['ip-address', findIpAddresses],
  findEmails,
  findIbans,
  findCards,
  findSsns,
  findPhones,
];

/** A finding may have kept its neighbour from being found. Texts need two passes; this is the limit. */
const maxPasses = 5;

export type SecretFinder = (text: string, scope: FinderContext) => readonly Finding[];

/**
 * Moves the ends of a finding out of JSON escapes such as `\\"` and `\\n`: masking half an escape breaks the JSON.
 */
function alignToEscapes(text: string, { start, end, kind }: Finding): readonly Finding[] {
  const escapeTail = isEscaped(text, start)
    ? (/^(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/.exec(text.slice(start, start + 5))?.[0] ?? '')
    : '';
  const from = start + escapeTail.length;
  const to = isEscaped(text, end) ? end - 1 : end;
  return from < to ? [{ start: from, end: to, kind }] : [];
}

/** Returns whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > at - 64 && text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns whether a text is too short and plain to contain a finding, as most names and many values are. */
function isPlainText(text: string, { names }: FinderContext): boolean {
  return (
    text.length < 15 &&
    names.size === 0 &&
    !likelySecretName.test(text) &&
    !/basic|[@=:%]|--|\d{6}|otp|pin|\d[ ().-]{1,2}\d/i.test(text)
  );
}

/** @throws {LonghandError} `invalid_policy` for a user's pattern with an invalid expression or kind */
export function createSecretFinder(kinds: ReadonlySet<string>, patterns: readonly UserPattern[]): SecretFinder {
  const own = patterns.map(createPatternFinder);
  const builtIn = finders
    .flatMap((entry) => (typeof entry === 'function' ? entry : kinds.has(entry[0]) ? entry[1] : []))
    .map(
      (finder): Finder =>
        (text, scope) =>
          finder(text, scope).filter(({ kind }) => kinds.has(kind)),
    );
  const isAsked = own.length > 0 || optionalKinds.some((kind) => kinds.has(kind));
  const find = (text: string, scope: FinderContext, depth: number): readonly Finding[] => {
    if (!isAsked && isPlainText(text, scope)) return [];
    const encoded: Finder = (within) =>
      findEncoded(within, (decoded) => find(decoded, { ...scope, field: '' }, depth + 1).length > 0);
    const all = kinds.has('encoded') && depth < deepestEncoding ? [...own, encoded, ...builtIn] : [...own, ...builtIn];
    const findings: Finding[] = [];
    let rest = blankOut(text, findMarks(text));
    for (let look = 0; look < maxPasses; look++) {
      const before = findings.length;
      for (const finder of all) {
        const raw = finder(rest, scope);
        if (raw.length === 0) continue;
        const fresh = selectOutermost(raw.flatMap((finding) => alignToEscapes(rest, finding)));
        for (const finding of fresh) findings.push(finding);
        rest = blankOut(rest, fresh);
      }
      if (findings.length === before) break;
    }
    return selectOutermost(findings);
  };
  return (text, scope) => find(text, scope, 0);
}

function createPatternFinder({ kind, source }: UserPattern): Finder {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(kind)) {
    throw new LonghandError(
      'invalid_policy',
      `Invalid pattern kind ${JSON.stringify(kind)}: expected lower-case letters, digits and dashes, at most 40.`,
    );
  }
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'g');
  } catch (error) {
    throw new LonghandError('invalid_policy', `The pattern of kind "${kind}" is not a regular expression: ${error}`);
  }
  return (text) => findMatches(text, pattern, kind);
}
