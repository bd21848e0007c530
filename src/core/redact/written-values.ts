/**
 * Reads the value that follows a name and its separator, by the quoting rules of the notation: three quotes, YAML
 * blocks, options in quotes, connection strings, whole lines; else a word, or what is in quotes.
 *
 * A value is read whole or not at all: a pass phrase of which the first word is hidden is not hidden. Each reader looks
 * at a bounded part of the text.
 */

import type { NameKind } from './key-names.js';
import { isLinePhrase } from './secret-values.js';
import { quotedEnd, readWord, type WrittenValue } from './word-values.js';

/** As long as a private key may be. */
const longestText = 32_768;
const tripleQuote = /[ \t]{0,8}(?:[brfu]{1,2})?("""|''')/iy;
/** `|`, `>-`, `|2`: the value is in the indented lines that follow. */
const blockStart = /[ \t]{1,8}[|>](?:[+-]?\d?|\d[+-])(?:[ \t]{1,8}#[^\n\\]{0,100})?[ \t]{0,8}(?:\r?\n|(?:\\r)?\\n)/y;
const blockLine = /(?:([ \t]*)((?:(?!\\n|")[^\n]){0,2000})|)(?:\r?\n|\\n|$|(?="))/y;
/** What is a name in braces is a variable: `f"PWD={password}"`. */
const braced =
  /\{(?!\s?[\w.]{0,60}(?:\([^)\n]{0,40}\)|\[[^\]\n]{0,40}\])?(?:![rsa])?(?::[^}\n]{0,20})?\s?\})((?:[^{}\n]|\}\}){4,100})\}(?=[;\s"'\\]|$)/y;
/** Up to the semicolon. It has a space in it; the first word is read without this. */
const member = /[^\s;"=<>`{}\\\uFFFF][^;"=<>`{}\\\n\r\uFFFF]{0,98}(?=;)/y;
const nextMember = /^;\s?[A-Za-z][\w ]{1,30}=/;
const word = String.raw`(?!#)[^\s"'\`<>{}[\]()|;:=,\\\uFFFF]{1,24}`;
const wholeLine = new RegExp(
  String.raw`(${word}(?: ${word}){1,11})[ \t]{0,8}(?:#[^\n]{0,200})?(?=$|[\r\n]|\\[nr]|")`,
  'y',
);

/** @param at the separator */
export function readValue(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  return (
    readTripleQuoted(text, from) ??
    readBlock(text, at, from) ??
    readOption(text, at, from) ??
    readMember(text, at, from, name) ??
    readLine(text, at, from, name) ??
    readWord(text, at, from)
  );
}

function readTripleQuoted(text: string, from: number): WrittenValue | null {
  tripleQuote.lastIndex = from;
  const quotes = tripleQuote.exec(text)?.[1];
  if (quotes === undefined) return null;
  const start = tripleQuote.lastIndex;
  const within = text.slice(start, start + longestText);
  const close = within.indexOf(quotes);
  return trimmed(text, start, start + (close < 0 ? within.length : close));
}

function readBlock(text: string, at: number, from: number): WrittenValue | null {
  if (text[at] !== ':') return null;
  blockStart.lastIndex = from;
  if (!blockStart.test(text)) return null;
  const start = blockStart.lastIndex;
  const outer = /^[ \t]*/.exec(lineBefore(text, at))?.[0].length ?? 0;
  let end = start;
  while (end < text.length && end - start < longestText) {
    blockLine.lastIndex = end;
    const line = blockLine.exec(text);
    const [indent, content] = [line?.[1] ?? '', line?.[2]?.trim() ?? ''];
    if (line === null || (content !== '' && indent.length <= outer) || blockLine.lastIndex === end) break;
    end = blockLine.lastIndex;
  }
  return trimmed(text, start, end);
}

/** What stands before a place in its line, at most 200 characters. A line break may be escaped. */
function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - 200), at);
  // The name's own quotes begin no text.
  const label = /["'][\w.-]{1,64}["'][ \t]*$/.exec(near)?.index ?? near.length;
  const escaped = near.lastIndexOf('\\n');
  return near.slice(
    Math.max(near.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2, near.slice(0, label).lastIndexOf('"') + 1),
  );
}

/** Without the white space around it, escaped line breaks too. */
function trimmed(text: string, start: number, end: number): WrittenValue | null {
  const value = text.slice(start, end);
  const before = /^(?:\s|\\[nrt])*/.exec(value)?.[0].length ?? 0;
  let stop = value.length;
  for (;;) {
    const shorter = value.slice(Math.max(0, stop - 2), stop);
    if (/\s$/.test(shorter)) stop -= 1;
    else if (/\\[nrt]$/.test(shorter)) stop -= 2;
    else break;
  }
  return before < stop ? { start: start + before, end: start + stop, written: 'quoted' } : null;
}

/** What is in quotes as a whole: `"--password=two words"`, `'password=two words'`. */
function readOption(text: string, at: number, start: number): WrittenValue | null {
  if (text[at] !== '=') return null;
  const quote = /(\\{0,8})(["'])(-{0,2})[\w.-]{1,60}$/.exec(text.slice(Math.max(0, at - 72), at));
  if (quote === null) return null;
  const end = quotedEnd(text, start, quote[2] ?? '"', quote[1]?.length ?? 0);
  // Not an option: a connection string begins like that as well.
  if (quote[3] === '' && /[;&=,\n]/.test(text.slice(start, end + 1))) return null;
  return { start, end, written: 'quoted' };
}

/** Of a connection string, `Password=two words;`: between semicolons or in braces a value may hold anything. */
function readMember(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  if (text[at] !== '=' || name.kind !== 'password') return null;
  braced.lastIndex = from;
  const inside = braced.exec(text)?.[1];
  if (inside !== undefined) return { start: from + 1, end: from + 1 + inside.length, written: 'quoted' };
  member.lastIndex = from;
  const value = member.exec(text)?.[0];
  if (value === undefined || !/\s/.test(value)) return null;
  const end = from + value.length;
  const isMember =
    /;\s?[\w ]{1,30}$/.test(text.slice(Math.max(0, at - 33), at)) || nextMember.test(text.slice(end, end + 34));
  return isMember ? { start: from, end, written: 'quoted' } : null;
}

/** A pass phrase without quotes, which is all of its line: `password: correct horse battery staple`. */
function readLine(text: string, at: number, from: number, name: NameKind): WrittenValue | null {
  if (!/[:=]/.test(text[at] ?? '') || name.kind !== 'password' || name.bare) return null;
  const start = from + (/^[ \t]{1,8}/.exec(text.slice(from, from + 8))?.[0].length ?? 0);
  wholeLine.lastIndex = start;
  const phrase = wholeLine.exec(text)?.[1];
  const label = lineBefore(text, at);
  if (phrase === undefined || !/^[ \t]*(?:- )?(["']?)[\w.-]{1,64}\1[ \t]*$/.test(label)) return null;
  const end = start + phrase.length;
  const amongSettings = hasSettingBeside(text, at, end);
  // A shell's variable ends at the space, and a command follows.
  if (start === from && (text[at] === ':' || !amongSettings || /^[ \t]*[A-Z]/.test(label))) return null;
  return isLinePhrase(phrase, amongSettings) ? { start, end, written: 'quoted' } : null;
}

/** Whether the line before or behind is a setting too, or the name of a section. */
function hasSettingBeside(text: string, at: number, end: number): boolean {
  const lines = text.slice(Math.max(0, at - 200), at).split(/\r?\n|\\n/);
  const previous = lines.length > 1 ? (lines.at(-2) ?? '') : '';
  const next = text.slice(end, end + 200).split(/\r?\n|\\n/)[1] ?? '';
  return [previous, next].some((line) =>
    /^[^\n]{0,8}?[ \t]*(?:(?:- )?["']?[\w.-]{1,40}["']?(?::(?:[ \t]|$)|[ \t]?=)|\[[\w .-]{1,40}\]$)/.test(line),
  );
}
