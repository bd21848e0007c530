/**
 * Reads the value after a name and its separator, by the quoting rules of the notation: three quotes, YAML blocks, options in
 * quotes, connection strings, whole lines; otherwise one word, or a text in quotes, escaped as often as the text around it.
 *
 * A value is read whole or not at all: masking only the first word of a pass phrase is useless. Each reader reads a
 * bounded part of the text.
 */

import type { NameKind } from './key-names.js';
import { isLinePhrase, type ValueNotation } from './secret-values.js';

/** As long as a private key may be. */
const longestText = 32_768;
const tripleQuote = /[ \t]{0,8}(?:[brfu]{1,2})?("""|''')/iy;
/** `|`, `>-`, `|2`: the value is in the indented lines that follow. */
const blockStart = /[ \t]{1,8}[|>](?:[+-]?\d?|\d[+-])(?:[ \t]{1,8}#[^\n\\]{0,100})?[ \t]{0,8}(?:\r?\n|(?:\\r)?\\n)/y;
const blockLine = /(?:([ \t]*)((?:(?!\\n|")[^\n]){0,2000})|)(?:\r?\n|\\n|$|(?="))/y;
/** A name in braces is a variable: `f"PWD={password}"`. */
const braced =
  /\{(?!\s?[\w.]{0,60}(?:\([^)\n]{0,40}\)|\[[^\]\n]{0,40}\])?(?:![rsa])?(?::[^}\n]{0,20})?\s?\})((?:[^{}\n]|\}\}){4,100})\}(?=[;\s"'\\]|$)/y;
/** Up to the semicolon, with a space in it; a single word is read without this pattern. */
const member = /[^\s;"=<>`{}\\\uFFFF][^;"=<>`{}\\\n\r\uFFFF]{0,98}(?=;)/y;
const nextMember = /^;\s?[A-Za-z][\w ]{1,30}=/;
const word = String.raw`(?!#)[^\s"'\`<>{}[\]()|;:=,\\\uFFFF]{1,24}`;
const wholeLine = new RegExp(
  String.raw`(${word}(?: ${word}){1,11})[ \t]{0,8}(?:#[^\n]{0,200})?(?=$|[\r\n]|\\[nr]|")`,
  'y',
);

/** @param at the separator */
export function parseValue(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  return (
    parseTripleQuoted(text, from) ??
    parseBlock(text, at, from) ??
    parseOption(text, at, from) ??
    parseMember(text, at, from, name) ??
    parseLinePhrase(text, at, from, name) ??
    parseWord(text, at, from)
  );
}

function parseTripleQuoted(text: string, from: number): WrittenValue | null {
  tripleQuote.lastIndex = from;
  const quotes = tripleQuote.exec(text)?.[1];
  if (quotes === undefined) return null;
  const start = tripleQuote.lastIndex;
  const within = text.slice(start, start + longestText);
  const close = within.indexOf(quotes);
  return trimValue(text, start, start + (close < 0 ? within.length : close));
}

function parseBlock(text: string, at: number, from: number): WrittenValue | null {
  if (text[at] !== ':') return null;
  blockStart.lastIndex = from;
  if (!blockStart.test(text)) return null;
  const start = blockStart.lastIndex;
  const outer = /^[ \t]*/.exec(getLineBefore(text, at))?.[0].length ?? 0;
  let end = start;
  while (end < text.length && end - start < longestText) {
    blockLine.lastIndex = end;
    const line = blockLine.exec(text);
    const [indent, content] = [line?.[1] ?? '', line?.[2]?.trim() ?? ''];
    if (line === null || (content !== '' && indent.length <= outer) || blockLine.lastIndex === end) break;
    end = blockLine.lastIndex;
  }
  return trimValue(text, start, end);
}

/** Returns the text before a position in its line, at most 200 characters. A line break may be escaped. */
function getLineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - 200), at);
  // The name's own quotes begin no text.
  const label = /["'][\w.-]{1,64}["'][ \t]*$/.exec(near)?.index ?? near.length;
  const escaped = near.lastIndexOf('\\n');
  return near.slice(
    Math.max(near.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2, near.slice(0, label).lastIndexOf('"') + 1),
  );
}

/** Trims white space and escaped line breaks. */
function trimValue(text: string, start: number, end: number): WrittenValue | null {
  const value = text.slice(start, end);
  const before = /^(?:\s|\\[nrt])*/.exec(value)?.[0].length ?? 0;
  let stop = value.length;
  for (;;) {
    const shorter = value.slice(Math.max(0, stop - 2), stop);
    if (/\s$/.test(shorter)) stop -= 1;
    else if (/\\[nrt]$/.test(shorter)) stop -= 2;
    else break;
  }
  return before < stop ? { start: start + before, end: start + stop, notation: 'quoted' } : null;
}

/** Reads an option that is quoted with its value: `"--password=two words"`, `'password=two words'`. */
function parseOption(text: string, at: number, start: number): WrittenValue | null {
  if (text[at] !== '=') return null;
  const quote = /(\\{0,8})(["'])(-{0,2})[\w.-]{1,60}$/.exec(text.slice(Math.max(0, at - 72), at));
  if (quote === null) return null;
  const end = findQuotedEnd(text, start, quote[2] ?? '"', quote[1]?.length ?? 0);
  // Not an option: a connection string begins like that as well.
  if (quote[3] === '' && /[;&=,\n]/.test(text.slice(start, end + 1))) return null;
  return { start, end, notation: 'quoted' };
}

/** Reads a value of a connection string, `Password=two words;`: any text between semicolons or in braces. */
function parseMember(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  if (text[at] !== '=' || name.kind !== 'password') return null;
  braced.lastIndex = from;
  const inside = braced.exec(text)?.[1];
  if (inside !== undefined) return { start: from + 1, end: from + 1 + inside.length, notation: 'quoted' };
  member.lastIndex = from;
  const value = member.exec(text)?.[0];
  if (value === undefined || !/\s/.test(value)) return null;
  const end = from + value.length;
  const isMember =
    /;\s?[\w ]{1,30}$/.test(text.slice(Math.max(0, at - 33), at)) || nextMember.test(text.slice(end, end + 34));
  return isMember ? { start: from, end, notation: 'quoted' } : null;
}

/** Reads a pass phrase without quotes, alone in its line: `password: correct horse battery staple`. */
function parseLinePhrase(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  if (!/[:=]/.test(text[at] ?? '') || name.kind !== 'password' || name.bare) return null;
  const start = from + (/^[ \t]{1,8}/.exec(text.slice(from, from + 8))?.[0].length ?? 0);
  wholeLine.lastIndex = start;
  const phrase = wholeLine.exec(text)?.[1];
  const label = getLineBefore(text, at);
  if (phrase === undefined || !/^[ \t]*(?:- )?(["']?)[\w.-]{1,64}\1[ \t]*$/.test(label)) return null;
  const end = start + phrase.length;
  const amongSettings = hasAdjacentSetting(text, at, end);
  // A shell's variable ends at the space, and a command follows.
  if (start === from && (text[at] === ':' || !amongSettings || /^[ \t]*[A-Z]/.test(label))) return null;
  return isLinePhrase(phrase, amongSettings) ? { start, end, notation: 'quoted' } : null;
}

/** Returns whether the previous or next line is a setting too, or the name of a section. */
function hasAdjacentSetting(text: string, at: number, end: number): boolean {
  const lines = text.slice(Math.max(0, at - 200), at).split(/\r?\n|\\n/);
  const previous = lines.length > 1 ? (lines.at(-2) ?? '') : '';
  const next = text.slice(end, end + 200).split(/\r?\n|\\n/)[1] ?? '';
  return [previous, next].some((line) =>
    /^[^\n]{0,8}?[ \t]*(?:(?:- )?["']?[\w.-]{1,40}["']?(?::(?:[ \t]|$)|[ \t]?=)|\[[\w .-]{1,40}\]$)/.test(line),
  );
}

interface WrittenValue {
  readonly start: number;
  readonly end: number;
  readonly notation: ValueNotation;
}

/** A longer value is masked in parts of this length. */
const longestValue = 4096;
const opening = /[ \t]{0,8}(?:(?:[brfu]{1,2})?(\\{0,8})(["'`“]))?/iy;
/** Lines that continue a quoted text, up to its last quote. */
const folded = /(?:\r?\n[ \t]{1,40}[^\n"'`=:]{1,200}){1,5}(?=["'][ \t]{0,8}[,;)}]?[ \t]{0,8}(?:\r?\n|$))/y;

function parseWord(text: string, at: number, from: number): WrittenValue | null {
  opening.lastIndex = from;
  const open = opening.exec(text);
  const start = from + (open?.[0].length ?? 0);
  const quote = open?.[2];
  // In Markdown `password:` is a name, and its second mark opens nothing.
  if (quote === '`' && text[at] === ':' && start === from + 1) return null;
  if (quote !== undefined) {
    const end = findQuotedEnd(text, start, quote, open?.[1]?.length ?? 0);
    return { start, end: findFoldedEnd(text, end, quote), notation: 'quoted' };
  }
  const end = findBareEnd(text, start, /["']/.test(text[at - 1] ?? ''));
  return { start, end, notation: detectNotation(text, at, start, end) };
}

function detectNotation(text: string, at: number, start: number, end: number): ValueNotation {
  if (text.startsWith(':-', at)) return 'tight';
  if (text[at] === '=' && start === at + 1 && !/\s/.test(text[at - 1] ?? '')) return 'tight';
  const rest = /^[ \t]{0,8}(?:\r?\n|$|\\n|#)/.test(text.slice(end, end + 12));
  return rest ? 'line' : 'loose';
}

/** Reads a quoted text, which may continue in the following lines, indented. */
function findFoldedEnd(text: string, end: number, quote: string): number {
  if (text[end] !== '\n' || !/["']/.test(quote)) return end;
  folded.lastIndex = end;
  const rest = folded.exec(text)?.[0];
  return rest !== undefined && text[end + rest.length] === quote ? end + rest.length : end;
}

/** Returns the position of the closing quote. Quotes that are escaped deeper belong to the value. */
export function findQuotedEnd(text: string, start: number, quote: string, escapes: number): number {
  const close = quote === '“' ? '”' : quote;
  const stop = Math.min(text.length, start + longestValue);
  let slashes = 0;
  for (let at = start; at < stop; at++) {
    const character = text[at];
    if (character === '\n' && quote !== '`') return findUnclosedEnd(text, start, at);
    // The text itself is a value in JSON, and it ends here.
    if (character === '"' && quote !== '"' && /^[,:}\]]/.test(text[at + 1] ?? ''))
      return findUnclosedEnd(text, start, at);
    if (character === close && (escapes === 0 ? slashes % 2 === 0 : slashes <= escapes))
      return at - (escapes === 0 ? 0 : slashes);
    slashes = character === '\\' ? slashes + 1 : 0;
  }
  return stop < text.length ? stop : findUnclosedEnd(text, start, stop);
}

/** Returns the end of a value without a closing quote: the first quote of any kind may end it. */
function findUnclosedEnd(text: string, start: number, stop: number): number {
  const quote = text.slice(start, stop).search(/\\{0,8}["'`]/);
  return quote < 0 ? stop : start + quote;
}

/** The separator of two members, if another one follows: a password may contain such characters. */
function isValueEnd(text: string, at: number): boolean {
  if (!/[;&,|]/.test(text[at] ?? '')) return false;
  return /^(?:$|[\s"'`\\\]})\uFFFF]|[\w.%$ -]{1,40}[=:]|[;&,|])/.test(text.slice(at + 1, at + 42));
}

/** In a shell: `password=two\\ words`. */
function isEscapedSpace(text: string, at: number): boolean {
  return text[at] === '\\' && text[at + 1] === ' ' && /[^\s\\"'`]/.test(text[at + 2] ?? ' ');
}

/** `inJson`: the name is quoted, so no comma or bracket is a part of the value. */
function findBareEnd(text: string, start: number, inJson: boolean): number {
  const stop = Math.min(text.length, start + longestValue);
  let end = start;
  while (
    end < stop &&
    (isEscapedSpace(text, end) ||
      (!/[\s"'`<>\\\uFFFF]/.test(text[end] ?? '') &&
        !(inJson && /[,\]}]/.test(text[end] ?? '')) &&
        !isValueEnd(text, end)))
  )
    end += isEscapedSpace(text, end) ? 2 : 1;
  // A closing mark is not a part of the value, unless its opening mark is too.
  while (
    end > start &&
    /[.:?)\]}]/.test(text[end - 1] ?? '') &&
    !text.slice(Math.max(start, end - 99), end).includes('(')
  )
    end -= 1;
  return end;
}
