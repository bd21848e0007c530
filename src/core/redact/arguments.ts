/**
 * Reads the arguments of a command, as a shell takes them or as a list of strings: `-p "two words"`, `"-p", "two words"`.
 * An argument is read whole, with what its quotes hold; the command ends with its line, a pipe or a semicolon.
 */

import { findMatchEnd } from './finding.js';

export interface CommandArgument {
  /** Of what is in its quotes. */
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly quoted: boolean;
}

/** The most that is read of a command, in characters and arguments. */
const longest = 600;
const max = 40;

/** White space, also with a line break that is escaped for the shell. */
const gap = /(?:[ \t]|[\\^`]\r?\n|\\\\\\n){1,40}/y;
const opening = /(\\{0,8})(["'])/y;
const longestQuoted = 300;
/** An option or a name may have its value immediately: `-p"two words"`, `--user='a b'`. */
const joined = /((?:-{1,2}|\/)[A-Za-z?][\w-]{0,40}[=:]?|[A-Za-z_][\w.]{0,60}=|pass:)(?=\\{0,8}["'])/y;
const bareArgument = /[^\s"'`|;&<>\uFFFF]{1,300}/y;
const listGap = /\s{0,40},(?:\s|\\[nr]){0,40}/y;

/** @param from behind the name of the program, or of an option */
export function parseArguments(text: string, from: number, limit = max): readonly CommandArgument[] {
  const commandArguments: CommandArgument[] = [];
  // The program is a string of its own: `["mysql", "-p", …]`.
  const quote = /^\\{0,8}["'](?=\s{0,40},)/.exec(text.slice(from, from + 50))?.[0];
  let at = from + (quote?.length ?? 0);
  while (commandArguments.length < limit && at - from < longest) {
    const next = findMatchEnd(text, quote === undefined ? gap : listGap, at);
    const argument =
      next === null ? null : (parseQuoted(text, next) ?? (quote === undefined ? parseBare(text, next) : null));
    if (argument === null) break;
    commandArguments.push(argument.argument);
    at = argument.next;
  }
  return commandArguments;
}

interface ArgumentResult {
  readonly argument: CommandArgument;
  readonly next: number;
}

function parseQuoted(text: string, at: number): ArgumentResult | null {
  opening.lastIndex = at;
  const [, slashes = '', quote] = opening.exec(text) ?? [];
  if (quote === undefined) return null;
  const start = at + slashes.length + 1;
  let before = 0;
  for (let next = start; next < Math.min(text.length, start + longestQuoted) && text[next] !== '\n'; next++) {
    // A quote in the argument is escaped deeper than those around it.
    if (text[next] === quote && (slashes === '' ? before % 2 === 0 : before <= slashes.length)) {
      const end = slashes === '' ? next : next - before;
      return { argument: { start, end, value: text.slice(start, end), quoted: true }, next: next + 1 };
    }
    before = text[next] === '\\' ? before + 1 : 0;
  }
  return null;
}

function parseBare(text: string, at: number): ArgumentResult | null {
  const prefix = findMatchEnd(text, joined, at);
  const value = prefix === null ? null : parseQuoted(text, prefix);
  if (prefix !== null && value !== null) {
    const { start, end } = value.argument;
    return {
      argument: { ...value.argument, start: at, value: text.slice(at, prefix) + text.slice(start, end) },
      next: value.next,
    };
  }
  const stop = findMatchEnd(text, bareArgument, at);
  // In a text inside of JSON a line break is `\n`.
  const word = stop === null ? '' : (/^(?:(?!\\[nr](?![\w$]{1,15}\\))[\s\S])*/.exec(text.slice(at, stop))?.[0] ?? '');
  if (stop === null || word === '') return null;
  return {
    argument: { start: at, end: at + word.length, value: word, quoted: false },
    next: at + word.length,
  };
}

/** Returns an argument without its first characters. */
export function sliceArgument(argument: CommandArgument, from: number, to = argument.value.length): CommandArgument {
  const length = Math.max(0, to - from);
  const start = argument.end - argument.value.length + from;
  return { ...argument, start, end: start + length, value: argument.value.slice(from, to) };
}
