/**
 * Finds secrets in statements with a grammar: SQL (also columns apart from their values), `.netrc`, calls that log in,
 * Oracle's URLs. Each pattern begins with a rare word and reads a bounded part of its line.
 */

import { type Finder, type Finding, findMatches } from './finding.js';
import { findSecretKind, type NameKind } from './key-names.js';
import { isPlaceholder, isSecretValue } from './secret-values.js';

const forms: readonly (readonly [first: string, kind: string, form: RegExp])[] = [
  [
    "'",
    'password',
    /\b(?:identified\s(?:with\s\w{1,30}\s)?by|with\spassword|encrypted\spassword|(?:role|user)\s\S{1,60}\spassword)\s'(?<it>[^'\n]{3,200})'/dgi,
  ],
  ['login', 'password', /\blogin\s{1,4}\S{1,100}\s{1,4}password\s{1,4}(?<it>[^\s"']{3,200})/dg],
  [
    'uth',
    'password',
    /\b(?:auth\s?=\s?\(|HTTP(?:Basic|Digest)Auth\()\s?["'][^"'\n]{1,100}["'],\s?["'](?<it>[^"'\n]{3,200})["']/dg,
  ],
  ['jdbc:oracle', 'password', /\bjdbc:oracle:\w{1,10}:[^\s/@:]{1,60}\/(?<it>[^\s@/]{1,100})@/dg],
];

/** The names of the columns; the values follow. */
const insert = /\binsert\s{1,8}into\s{1,8}[\w."`[\]]{1,100}\s{0,8}\(([^()]{1,500})\)\s{0,8}values\s{0,8}(?=\()/gi;
const cell = /\s{0,8}(?:'((?:[^'\n]|''){0,500})'|[^,()'\n]{0,200})\s{0,8}([,)])/y;
const mostRows = 100;

export const findStatementSecrets: Finder = (text) => [
  ...forms.flatMap(([first, kind, form]) =>
    text.includes(first)
      ? findMatches(text, form, kind).filter(({ start, end }) => !isPlaceholder(text.slice(start, end)))
      : [],
  ),
  ...Array.from(text.matchAll(insert)).flatMap(({ 0: whole, 1: columns = '', index }) => {
    const names = columns.split(',').map((column) => findSecretKind(column.trim().replace(/["`[\]]/g, '')));
    return names.some((name) => name !== null) ? findInsertedSecrets(text, index + whole.length, names) : [];
  }),
];

/** Finds the values of secret columns, row by row. */
function findInsertedSecrets(text: string, from: number, names: readonly (NameKind | null)[]): readonly Finding[] {
  const findings: Finding[] = [];
  let at = from;
  for (let row = 0; row < mostRows && text[at] === '('; row++) {
    at += 1;
    for (let column = 0, ended = false; column < names.length && !ended; column++) {
      cell.lastIndex = at;
      const match = cell.exec(text);
      if (match === null) return findings;
      const [written, value, mark] = match;
      const name = names[column];
      const start = at + written.indexOf("'") + 1;
      if (name && !name.field && value !== undefined && isSecretValue(value, 'quoted', name))
        findings.push({ start, end: start + value.length, kind: name.kind });
      at = cell.lastIndex;
      ended = mark === ')';
    }
    at += /^\s{0,8},\s{0,8}/.exec(text.slice(at, at + 20))?.[0].length ?? 0;
  }
  return findings;
}
