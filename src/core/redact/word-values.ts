/** Reads a value that is one word, or in quotes of any kind, escaped as often as the text around it. */

import type { Written } from './secret-values.js';

export interface WrittenValue {
  readonly start: number;
  readonly end: number;
  readonly written: Written;
}

/** A longer value is hidden in parts of this length. */
const longestValue = 4096;
const opening = /[ \t]{0,8}(?:(?:[brfu]{1,2})?(\\{0,8})(["'`“]))?/iy;
/** Lines with which a text in quotes goes on, up to its last quote. */
const folded = /(?:\r?\n[ \t]{1,40}[^\n"'`=:]{1,200}){1,5}(?=["'][ \t]{0,8}[,;)}]?[ \t]{0,8}(?:\r?\n|$))/y;

export function readWord(text: string, at: number, from: number): WrittenValue | null {
  opening.lastIndex = from;
  const open = opening.exec(text);
  const start = from + (open?.[0].length ?? 0);
  const quote = open?.[2];
  // In Markdown `password:` is a name, and its second mark opens nothing.
  if (quote === '`' && text[at] === ':' && start === from + 1) return null;
  if (quote !== undefined) {
    const end = quotedEnd(text, start, quote, open?.[1]?.length ?? 0);
    return { start, end: foldedEnd(text, end, quote), written: 'quoted' };
  }
  const end = bareEnd(text, start, /["']/.test(text[at - 1] ?? ''));
  return { start, end, written: waysOf(text, at, start, end) };
}

function waysOf(text: string, at: number, start: number, end: number): Written {
  if (text.startsWith(':-', at)) return 'tight';
  if (text[at] === '=' && start === at + 1 && !/\s/.test(text[at - 1] ?? '')) return 'tight';
  const rest = /^[ \t]{0,8}(?:\r?\n|$|\\n|#)/.test(text.slice(end, end + 12));
  return rest ? 'line' : 'loose';
}

/** A text in quotes may go on in the lines that follow, indented. */
function foldedEnd(text: string, end: number, quote: string): number {
  if (text[end] !== '\n' || !/["']/.test(quote)) return end;
  folded.lastIndex = end;
  const rest = folded.exec(text)?.[0];
  return rest !== undefined && text[end + rest.length] === quote ? end + rest.length : end;
}

/** To the quote that closes it; one inside that is escaped deeper does not. */
export function quotedEnd(text: string, start: number, quote: string, escapes: number): number {
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

/** In a shell: `password=two\\ words`. */
function isEscapedSpace(text: string, at: number): boolean {
  return text[at] === '\\' && text[at + 1] === ' ' && /[^\s\\"'`]/.test(text[at + 2] ?? ' ');
}

/** `inJson`: the name is quoted, so no comma or bracket is a part of the value. */
function bareEnd(text: string, start: number, inJson: boolean): number {
  const stop = Math.min(text.length, start + longestValue);
  let end = start;
  while (
    end < stop &&
    (isEscapedSpace(text, end) ||
      (!/[\s"'`<>\\\uFFFF]/.test(text[end] ?? '') &&
        !(inJson && /[,\]}]/.test(text[end] ?? '')) &&
        !endsValue(text, end)))
  )
    end += isEscapedSpace(text, end) ? 2 : 1;
  // What closes a sentence or a bracket is no part of it, unless it was opened in it.
  while (
    end > start &&
    /[.:?)\]}]/.test(text[end - 1] ?? '') &&
    !text.slice(Math.max(start, end - 99), end).includes('(')
  )
    end -= 1;
  return end;
}
