/**
 * Secrets by their names in text: `password=hunter2`, `"apiKey": "…"`, `export FOO_SECRET=…`, in code, configuration,
 * connection strings, queries and JSON, also JSON inside of a JSON string, whose quotes are escaped.
 */

import { blank, type Finder, type Finding, wordStart } from './finding.js';
import { likely, type NameKind, secretKind } from './key-names.js';
import { isMixed, isSecretValue, type Written } from './secret-values.js';

const longestName = 64;
/** From a separator back to the first word of a name in prose. */
const nameReach = 100;
/** A longer value is hidden in parts of this length. */
const longestValue = 4096;
const separators = /[=:,]|\|\||\?\?/g;
/** `set("password", "…")` */
const pairs = /^["'`], {0,2}["'`]/;
/** What may stand between a name and its separator: `password?:`, `env["KEY"] =`. */
const nameMarks = [/\?/, /[\])]/, /["'`”]/];
const opening = /[ \t]{0,8}(?:(?:[brfu]{1,2})?(\\{0,8})(["'`“]))?/iy;

export const assignments: Finder = (text, { names }) => {
  const found: Finding[] = [];
  const near = hints(text);
  let done = 0;
  separators.lastIndex = 0;
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const at = match.index;
    if (names.size === 0 && !near(at)) continue;
    const from = valueStart(text, at);
    const name = from === null ? null : nameAt(text, at, done, names);
    if (from === null || name === null || name.field) continue;
    const finding = valueAt(text, at, from, name);
    if (finding === null) continue;
    found.push(finding);
    done = finding.end;
    separators.lastIndex = done;
  }
  return found;
};

/** Most text has no such name, and most separators none before them: asked in order, each word is looked for once. */
function hints(text: string): (at: number) => boolean {
  const words = new RegExp(likely, 'gi');
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
 * After `=`, `:`, `:=`, `=>`, and what stands before a default: `KEY || "…"`, `${KEY:-…}`. Null after what compares,
 * scopes or begins an address.
 */
function valueStart(text: string, at: number): number | null {
  const last = text[at - 1] ?? blank;
  const pair = text.slice(at, at + 2);
  if (text[at] === ',') return pairs.test(text.slice(at - 1, at + 4)) ? at + 1 : null;
  if (pair === '=>' || pair === ':=' || pair === '||' || pair === '??') return at + 2;
  if (pair === ':-' && /\$\{\w{1,64}$/.test(text.slice(Math.max(0, at - 66), at))) return at + 2;
  if (pair === '==' || pair === '=~' || pair === '::' || pair === ':/' || /[=!<>:~\n\uFFFF]/.test(last)) return null;
  return at + 1;
}

function nameAt(text: string, at: number, done: number, names: ReadonlySet<string>): NameKind | null {
  const least = Math.max(done, at - longestName);
  let end = at;
  while (end > at - 8 && end > least && /[ \t]/.test(text[end - 1] ?? '')) end -= 1;
  // What a prompt shows of the value it has: `Secret Access Key [None]:`.
  end -= / \[[^[\]\n]{0,24}\]$/.exec(text.slice(Math.max(least, end - 27), end))?.[0].length ?? 0;
  for (const mark of nameMarks) if (end > least && mark.test(text[end - 1] ?? '')) end -= 1;
  while (end > least && text[end - 1] === '\\') end -= 1;
  let start = end;
  while (start > least && /[\w$.\u00C0-\u024F\u0400-\u04FF-]/.test(text[start - 1] ?? '')) start -= 1;
  if (end - start < 2) return null;
  start = wordStart(text, start);
  const name = text.slice(start, end).replace(/^[.-]{1,9}/, '');
  const single = secretKind(name, names);
  if (single !== null && !single.bare) return single;
  // Names in prose: `API key: …`, and `next token: …`, which holds none.
  const word = /(?:^|[^\w$.-])([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(done, start - 22), start))?.[1];
  return word === undefined ? single : secretKind(`${word} ${name}`, names);
}

function valueAt(text: string, at: number, from: number, name: NameKind): Finding | null {
  opening.lastIndex = from;
  const open = opening.exec(text);
  const start = from + (open?.[0].length ?? 0);
  const quote = open?.[2];
  // In Markdown `password:` is a name, and its second mark opens nothing.
  if (quote === '`' && text[at] === ':' && start === from + 1) return null;
  const end =
    quote === undefined
      ? bareEnd(text, start, /["']/.test(text[at - 1] ?? ''))
      : quotedEnd(text, start, quote, open?.[1]?.length ?? 0);
  const value = text.slice(start, end);
  // Only what is quoted is no code there, and a list of names is no pair.
  if (/[,|?]/.test(text[at] ?? '') && (quote === undefined || !isMixed(value))) return null;
  if (/^(?:\/|~|[A-Z]:\\)/.test(value) && name.kind === 'password') return null;
  const written = quote !== undefined ? 'quoted' : waysOf(text, at, start, end);
  return isSecretValue(value, written, name) ? { start, end, kind: name.kind } : null;
}

function waysOf(text: string, at: number, start: number, end: number): Written {
  if (text.startsWith(':-', at)) return 'tight';
  if (text[at] === '=' && start === at + 1 && !/\s/.test(text[at - 1] ?? '')) return 'tight';
  const rest = /^[ \t]{0,8}(?:\r?\n|$|\\n|#)/.test(text.slice(end, end + 12));
  return rest ? 'line' : 'loose';
}

/** To the quote that closes it; one inside that is escaped deeper does not. */
function quotedEnd(text: string, start: number, quote: string, escapes: number): number {
  const close = quote === '“' ? '”' : quote;
  const stop = Math.min(text.length, start + longestValue);
  let slashes = 0;
  for (let at = start; at < stop; at++) {
    const character = text[at];
    if (character === '\n' && quote !== '`') return unclosedEnd(text, start, at);
    // The text itself is a value in JSON, and it ends here.
    if (character === '"' && quote !== '"' && /^[,:}\]]/.test(text[at + 1] ?? '')) return unclosedEnd(text, start, at);
    if (character === close && (escapes === 0 ? slashes % 2 === 0 : slashes <= escapes))
      return at - (escapes === 0 ? 0 : slashes);
    slashes = character === '\\' ? slashes + 1 : 0;
  }
  return stop < text.length ? stop : unclosedEnd(text, start, stop);
}

/** Of a value that was cut off, or of one in a text that ends before it: the first quote of any kind may end that. */
function unclosedEnd(text: string, start: number, stop: number): number {
  const quote = text.slice(start, stop).search(/\\{0,8}["'`]/);
  return quote < 0 ? stop : start + quote;
}

/** What stands between two members, if another one follows: a password may hold such characters. */
function endsValue(text: string, at: number): boolean {
  if (!/[;&,|]/.test(text[at] ?? '')) return false;
  return /^(?:$|[\s"'`\\\]})\uFFFF]|[\w.%$ -]{1,40}[=:]|[;&,|])/.test(text.slice(at + 1, at + 42));
}

/** `inJson`: the name is quoted, so no comma or bracket is a part of the value. */
function bareEnd(text: string, start: number, inJson: boolean): number {
  const stop = Math.min(text.length, start + longestValue);
  let end = start;
  while (
    end < stop &&
    !/[\s"'`<>\\\uFFFF]/.test(text[end] ?? '') &&
    !(inJson && /[,\]}]/.test(text[end] ?? '')) &&
    !endsValue(text, end)
  )
    end += 1;
  // What closes a sentence or a bracket is no part of it, unless it was opened in it.
  while (
    end > start &&
    /[.:?)\]}]/.test(text[end - 1] ?? '') &&
    !text.slice(Math.max(start, end - 99), end).includes('(')
  )
    end -= 1;
  return end;
}
