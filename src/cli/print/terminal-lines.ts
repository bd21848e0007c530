/** Lines of a chain in the columns and colours of a terminal: one below the other, as a tree, or whole. */

import { argumentsText } from '../../core/lib/display.js';
import { asText, type Json } from '../../core/lib/json.js';
import { oneLine, plain, plainJson } from '../../core/lib/plain.js';
import { type Branch, factText, type Label, type Line, type Style } from '../../core/print/line.js';
import type { Colors } from '../terminal/colors.js';
import { columns, cut, wrapped } from '../terminal/text.js';

/** Columns that are left for words, however deep they are in a tree. */
const leastRoom = 20;
/** Columns of a cut text that its facts leave to it. */
const leastWords = 24;

/** @returns the rows of a line, none wider than the room but for its mark */
export function rowsOf(line: Line, room: number, c: Colors): readonly string[] {
  const rows = line.form === 'words' ? wrappedRows(line, room, c) : cutRows(line, room, c);
  return [...rows, ...line.notes.map((note) => c.dim(`  ${cut(oneLine(note), room - 2)}`))];
}

/** With `├─` and `└─` before each line, and its own rows and what is under it behind that. */
export function treeRows(branches: readonly Branch[], width: number, c: Colors, before = ''): readonly string[] {
  return branches.flatMap(({ line, under }, at) => {
    const last = at === branches.length - 1;
    const rest = before + (last ? '   ' : '│  ');
    // Below the first row, the line to what is under it is drawn beside the text.
    const beside = under.length > 0 ? `${rest}│  ` : rest;
    const [first = '', ...more] = rowsOf(line, Math.max(leastRoom, width - beside.length), c);
    return [
      c.dim(before + (last ? '└─ ' : '├─ ')) + first,
      ...more.map((row) => c.dim(rest) + row),
      ...treeRows(under, width, c, rest),
    ];
  });
}

/** Nothing is cut or broken into rows: it can be copied. @param id of the item, on its first line */
export function wholeRows(line: Line, id: string | null, c: Colors): readonly string[] {
  const { label, said, facts, notes } = line;
  const head = [id === null ? ' ' : c.bold(id), painted(label, c), c.dim(facts.map(factOf).join(' · '))];
  const text = said === '' ? [] : pretty(said).split('\n');
  return [
    head.join(' ').trimEnd(),
    ...text.map((row) => `  ${row}`),
    ...notes.flatMap((note) => plain(note).split('\n')).map((row) => c.dim(`  ${row}`)),
  ];
}

function painted(label: Label, c: Colors): string {
  const text = labelText(label);
  return text === '' ? '' : painter(label.style, c)(text);
}

function labelText({ kind, name, sign }: Label): string {
  if (sign !== null) return name === null ? sign : `${sign} ${oneLine(name)}`.trim();
  return `[${oneLine(kind).toUpperCase()}${name === null ? '' : `: ${oneLine(name)}`}]`;
}

/** A sign with a name is not taken for a sentence with the words behind it. */
function gapOf({ sign, name }: Label): string {
  if (sign === '' && name === null) return '';
  return sign !== null && name !== null ? '  ' : ' ';
}

function wrappedRows({ label, said, style, rows, facts, mark }: Line, room: number, c: Colors): readonly string[] {
  const gap = gapOf(label);
  const indent = columns(labelText(label)) + gap.length;
  const paint = painter(style, c);
  const ends = facts.map(factOf).join(' · ');
  const start = painted(label, c);
  if (said === '')
    return factsOnly(label, facts.map(factOf), room, c).map((row, at) => row + (at === 0 ? markText(mark, c) : ''));
  if (typeof said !== 'string') {
    const head = [start, ...(ends === '' ? [] : [c.dim(ends)])].join('  ');
    return [
      head,
      ...pretty(said)
        .split('\n')
        .map((row) => paint(cut(row, room))),
    ];
  }
  const width = Math.max(leastRoom, room - indent);
  // No more is measured than could be printed.
  const all = wrapped(rows === null ? said : said.slice(0, (rows + 1) * width), width);
  const shown = rows !== null && all.length > rows ? [...all.slice(0, rows), '…'] : all;
  const last = shown.at(-1) ?? '';
  const beside = ends === '' || columns(last) + columns(ends) + 2 <= width;
  const end = (beside && ends !== '' ? `  ${c.dim(ends)}` : '') + markText(mark, c);
  const below = beside ? [] : factRows(facts.map(factOf), width).map((row) => c.dim(row));
  const words = shown.map((row, at) => paint(row) + (at === shown.length - 1 ? end : ''));
  return [...words, ...below].map((row, at) => (at === 0 ? start + gap : ' '.repeat(indent)) + row);
}

/** Facts beside their label, as under a step. */
function factsOnly(label: Label, facts: readonly string[], room: number, c: Colors): readonly string[] {
  const start = labelText(label);
  const indent = start === '' ? 0 : columns(start) + 2;
  const [first = '', ...more] = factRows(facts, Math.max(leastRoom, room - indent)).map((row) => c.dim(row));
  const head = [painted(label, c), first].filter((part) => part !== '').join('  ');
  return [head, ...more.map((row) => ' '.repeat(indent) + row)];
}

/** Breaks between facts, and within one only where it is longer than a row. */
function factRows(facts: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const fact of facts) {
    const joined = rows.length === 0 ? fact : `${rows.at(-1)} · ${fact}`;
    if (columns(joined) <= width) rows.splice(-1, 1, joined);
    else rows.push(...wrapped(fact, width));
  }
  return rows;
}

/** The words give way to the facts, those to the first of the words, and the id of a chain gets a row of its own. */
function cutRows(line: Line, room: number, c: Colors): readonly string[] {
  const { label, said, form, style, state, facts, chainId, mark } = line;
  const gap = gapOf(label);
  const words = form === 'arguments' ? argumentsText(said) : oneLine(asText(said));
  const id = chainId === null ? '' : oneLine(chainId);
  const ends = [...(state === null ? [] : [state.text]), ...facts.map(factOf)].join(' · ');
  const rest = room - columns(labelText(label)) - gap.length;
  const least = Math.min(leastWords, columns(words));
  const space = (text: string) => (text === '' ? 0 : columns(text) + 2);
  const beside = id !== '' && least + space(ends) + space(id) <= rest;
  const taken = space(ends) + (beside ? space(id) : 0);
  const shown = cut(words, Math.max(least, rest - taken));
  const end = cut(ends, Math.max(0, rest - columns(shown) - 2));
  const parts = [
    painted(label, c) + (shown === '' ? '' : gap + painter(style, c)(shown)),
    ...(end === '' ? [] : [endText(end, line, c)]),
    ...(beside ? [c.dim(id)] : []),
  ];
  const first = parts.join('  ').trimEnd() + markText(mark, c);
  return id === '' || beside ? [first] : [first, ...wrapped(id, room - 2).map((row) => `  ${c.dim(row)}`)];
}

function endText(end: string, { state }: Line, c: Colors): string {
  if (state === null) return c.dim(end);
  const own = end.slice(0, state.text.length);
  return painter(state.style, c)(own) + c.dim(end.slice(own.length));
}

function markText(mark: string | null, c: Colors): string {
  return mark === null ? '' : `  ${c.red(c.bold(`◀ ${mark}`))}`;
}

function factOf(fact: Line['facts'][number]): string {
  return oneLine(factText(fact));
}

function pretty(value: Json): string {
  return typeof value === 'string' ? plain(value) : plainJson(JSON.stringify(value, null, 2));
}

export function painter(style: Style, c: Colors): (text: string) => string {
  const paints: { readonly [known in Style]: (text: string) => string } = {
    plain: (text) => text,
    heading: (text) => c.bold(c.cyan(text)),
    thought: c.cyan,
    call: c.magenta,
    person: c.blue,
    good: c.green,
    warning: c.yellow,
    bad: c.red,
    running: c.cyan,
    faint: c.dim,
  };
  return paints[style];
}
