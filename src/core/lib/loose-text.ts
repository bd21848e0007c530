/** Reads quoted texts as models write them: any kind of quote, raw line breaks, unescaped quotes. */

export interface Cursor {
  readonly text: string;
  index: number;
}

/** Control flow of the readers: they catch it and return it as data. */
export class UnreadableTextError extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly cut = false,
  ) {
    super(message);
  }
}

/** Formats a position for people and models. */
export function formatPlace(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** The closing quotes for each opening one: typographic quotes are often closed by the wrong one. */
const closers: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”“"'],
  ['”', '”“"'],
  ['„', '”“"'],
  ['‘', "’‘'"],
  ['’', "’‘'"],
]);

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\\', '\\'],
  ['/', '/'],
  // A habit from Markdown: `get\_weather`.
  ['_', '_'],
  // A line that continues after its break.
  ['\n', ''],
]);

/** Decides which quote ends a text: inside a structure, only a quote before something that can follow a value. */
export type TextPosition = 'alone' | 'key' | 'value';

export function isQuote(mark: string): boolean {
  return closers.has(mark);
}

/** Reads the text whose opening quote is at the cursor. */
export function readQuoted(cursor: Cursor, position: TextPosition): string {
  const { text } = cursor;
  const start = cursor.index;
  const open = text[start] ?? '';
  const triple = open.repeat(3);
  if ((open === '"' || open === "'") && text.startsWith(triple, start)) return readTriple(cursor, triple);
  const closing = closers.get(open) ?? open;
  const parts: string[] = [];
  let from = start + 1;
  let at = from;
  for (; at < text.length; at++) {
    const mark = text[at] ?? '';
    if (mark === '\\') {
      parts.push(text.slice(from, at));
      const read = readEscape(text, at);
      parts.push(read.value);
      at = read.end - 1;
      from = read.end;
    } else if (closing.includes(mark) && (position !== 'value' || canEnd(text, at + 1))) {
      parts.push(text.slice(from, at));
      cursor.index = at + 1;
      return parts.join('');
    }
  }
  throw new UnreadableTextError(text.length, 'it ends inside a text: the closing quote is missing', true);
}

function readTriple(cursor: Cursor, mark: string): string {
  const from = cursor.index + mark.length;
  const end = cursor.text.indexOf(mark, from);
  if (end < 0) throw new UnreadableTextError(cursor.text.length, `it ends before the closing ${mark}`, true);
  cursor.index = end + mark.length;
  return cursor.text.slice(from, end).replace(/\\([\s\S])/g, (all, mark: string) => escapes.get(mark) ?? all);
}

/** Returns whether a structure can continue here. The quote inside `'it's'` is a letter. */
function canEnd(text: string, from: number): boolean {
  const blank = /\s*/y;
  blank.lastIndex = from;
  const next = from + (blank.exec(text)?.[0].length ?? 0);
  if (next >= text.length || ',:}]，：'.includes(text[next] ?? '')) return true;
  const two = text.slice(next, next + 2);
  return two === '//' || two === '/*' || two === '\\n' || two.startsWith('#');
}

function readEscape(text: string, at: number): { readonly value: string; readonly end: number } {
  const mark = text[at + 1] ?? '';
  const code = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/y;
  code.lastIndex = at;
  const match = code.exec(text);
  if (match !== null) {
    const point = Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '0', 16);
    if (point <= 0x10ffff) return { value: String.fromCodePoint(point), end: at + match[0].length };
  }
  // Other backslashes are literal: a path, a regular expression.
  return { value: escapes.get(mark) ?? `\\${mark}`, end: Math.min(at + 2, text.length) };
}
