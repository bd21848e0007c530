/**
 * Finds secrets by their names in text: `password=hunter2`, `"apiKey": "…"`, `export FOO_SECRET=…`, in code, configuration,
 * connection strings, queries and JSON, also within a JSON string, where quotes are escaped.
 */

import { blank, type Finder, type Finding, getWordStart } from './finding.js';
import { authKind, findSecretKind, likelySecretName, type NameKind } from './key-names.js';
import { isMixed, isSecretValue } from './secret-values.js';
import { parseValue } from './written-values.js';

const longestName = 64;
/** Characters from a separator back to the first word of a name in prose. */
const nameReach = 100;
const separators = /[=:,]|\|\||\?\?/g;
/** `set("password", "…")`, `["--password", "…"]`, also in JSON within a JSON string. */
const pairs = /^["'`],\s{0,20}\\{0,8}["'`]/;
/** Calls with a name and its value. */
const setter = /(?:set|put|add|with|append|define|config|option|env|param)\w{0,20}\(\s?["'`][\w.-]{1,64}["'`]$/i;
const typedName = /([\w$]{2,64})\??\s{0,2}:\s{0,2}[A-Za-z_][\w.[\]]{0,30}(?: \| [\w.[\]]{1,30})?\s{0,2}$/;
/** Characters between a name and its separator: `password?:`, `env["KEY"] =`. */
const nameMarks = [/\?/, /[\])]/, /["'`”]/];

export const findAssignments: Finder = (text, { names }) => {
  const findings: Finding[] = [];
  const near = createHintCheck(text);
  let done = 0;
  separators.lastIndex = 0;
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const at = match.index;
    if (names.size === 0 && !near(at)) continue;
    const from = findValueStart(text, at);
    const name = from === null ? null : findNameBefore(text, at, done, names);
    if (from === null || name === null || name.kind.field) continue;
    const finding = findValueAt(text, at, from, name);
    if (finding === null) continue;
    findings.push(finding);
    done = finding.end;
    separators.lastIndex = done;
  }
  return findings;
};

/**
 * Returns whether a likely name is near before a position. Most separators have none. Positions must ascend: the text is
 * searched once.
 */
function createHintCheck(text: string): (at: number) => boolean {
  const words = new RegExp(likelySecretName, 'gi');
  let last = -nameReach;
  let next = words.exec(text)?.index ?? text.length;
  return (at) => {
    while (next < at) {
      last = next;
      next = words.exec(text)?.index ?? text.length;
    }
    return at - last < nameReach;
  };
}

/**
 * Returns where a value begins: after `=`, `:`, `:=`, `=>`, or before a default, `KEY || "…"`, `${KEY:-…}`. Null if the
 * separator compares, scopes or begins a URL.
 */
function findValueStart(text: string, at: number): number | null {
  const last = text[at - 1] ?? blank;
  const pair = text.slice(at, at + 2);
  if (text[at] === ',') return findPairValueStart(text, at);
  if (pair === '=>' || pair === ':=' || pair === '||' || pair === '??') return at + 2;
  if (pair === ':-' && /\$\{\w{1,64}$/.test(text.slice(Math.max(0, at - 66), at))) return at + 2;
  if (pair === '==' || pair === '=~' || pair === '::' || pair === ':/' || /[=!<>:~\n\uFFFF]/.test(last)) return null;
  return at + 1;
}

function findPairValueStart(text: string, at: number): number | null {
  if (!pairs.test(text.slice(at - 1, at + 32))) return null;
  return at + 1 + (/^\s*/.exec(text.slice(at + 1, at + 22))?.[0].length ?? 0);
}

interface NameMatch {
  readonly kind: NameKind;
  /** Whether it is an option of a command: `--password`. */
  readonly flag: boolean;
}

function findNameBefore(text: string, at: number, done: number, names: ReadonlySet<string>): NameMatch | null {
  const least = Math.max(done, at - longestName);
  let end = at;
  while (end > at - 8 && end > least && /[ \t]/.test(text[end - 1] ?? '')) end -= 1;
  // A prompt shows the current value: `Secret Access Key [None]:`.
  end -= / \[[^[\]\n]{0,24}\]$/.exec(text.slice(Math.max(least, end - 27), end))?.[0].length ?? 0;
  for (const mark of nameMarks) if (end > least && mark.test(text[end - 1] ?? '')) end -= 1;
  while (end > least && text[end - 1] === '\\') end -= 1;
  let start = end;
  while (start > least && /[\w$.\u00C0-\u024F\u0400-\u04FF-]/.test(text[start - 1] ?? '')) start -= 1;
  if (end - start < 2) return null;
  start = getWordStart(text, start);
  const flag = text.startsWith('--', start);
  const name = text.slice(start, end).replace(/^[.-]{1,9}/, '');
  const single = /^auth$/i.test(name) ? authKind : findSecretKind(name, names);
  if (single !== null && (flag || !single.bare)) return { kind: single, flag };
  // A type in between: `password: str = "…"`.
  const typed =
    single === null && text[at] === '=' ? typedName.exec(text.slice(Math.max(done, at - 110), at))?.[1] : undefined;
  const variable = typed === undefined ? null : findSecretKind(typed, names);
  if (variable !== null) return { kind: variable, flag };
  // Names in prose: `API key: …`, and `next token: …`, which is not a secret.
  const word = /(?:^|[^\w$.-])([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(done, start - 22), start))?.[1];
  const kind = word === undefined ? single : findSecretKind(`${word} ${name}`, names);
  return kind === null ? null : { kind, flag };
}

function findValueAt(text: string, at: number, from: number, { kind: name, flag }: NameMatch): Finding | null {
  const read = parseValue(text, at, from, name);
  if (read === null) return null;
  const { start, end, notation } = read;
  const value = text.slice(start, end);
  if (/[,|?]/.test(text[at] ?? '') && !(notation === 'quoted' && isInList(text, at, value, flag))) return null;
  if (/^(?:\/|~|[A-Z]:\\)/.test(value) && name.kind === 'password') return null;
  return isSecretValue(value, notation, name) ? { start, end, kind: name.kind } : null;
}

/** Decides about a quoted value after `,`, `|` or `?`: a list of names is no pair, but an option's next item is its value. */
function isInList(text: string, at: number, value: string, flag: boolean): boolean {
  if (flag && text[at] === ',') return !value.startsWith('-');
  if (isMixed(value)) return true;
  return text[at] === ',' && /\s\S+\s/.test(value) && setter.test(text.slice(Math.max(0, at - 90), at));
}
