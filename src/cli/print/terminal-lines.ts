/** Lines of a chain in the columns and colours of a terminal: one below the other, as a tree, or whole. */

import { formatArguments } from '../../core/lib/display.js';
import { type Json, toValueText } from '../../core/lib/json.js';
import { toOneLine, toPlainJson, toPlainText } from '../../core/lib/plain-text.js';
import { type Line, type LineLabel, type LineTree, type Style, toRemarkText } from '../../core/print/line.js';
import type { Colors } from '../terminal/colors.js';
import { columns, cut, wrapped } from '../terminal/text.js';

/** Columns that are left for words, however deep they are in a tree. */
const leastRoom = 20;
/** Columns of a cut text that its facts leave to it. */
const leastWords = 24;

/** @returns the rows of a line, none wider than the room but for its mark */
export function rowsOf(line: Line, room: number, c: Colors): readonly string[] {
  const rows = line.form === 'words' ? wrappedRows(line, room, c) : cutRows(line, room, c);
  return [...rows, ...line.notes.map((note) => c.dim(`  ${cut(toOneLine(note), room - 2)}`))];
}

/** With `├─` and `└─` before each line, and its own rows and what is under it behind that. */
export function treeRows(branches: readonly LineTree[], width: number, c: Colors, before = ''): readonly string[] {
  return branches.flatMap(({ line, children }, at) => {
    const last = at === branches.length - 1;
    const rest = before + (last ? '   ' : '│  ');
    // Below the first row, the line to what is under it is drawn beside the text.
    const beside = children.length > 0 ? `${rest}│  ` : rest;
    const [first = '', ...more] = rowsOf(line, Math.max(leastRoom, width - beside.length), c);
    return [
      c.dim(before + (last ? '└─ ' : '├─ ')) + first,
      ...more.map((row) => c.dim(rest) + row),
      ...treeRows(children, width, c, rest),
    ];
  });
}

/** Nothing is cut or broken into rows: it can be copied. @param id of the item, on its first line */
export function wholeRows(line: Line, id: string | null, c: Colors): readonly string[] {
  const { label, content, remarks, notes } = line;
  const head = [id === null ? ' ' : c.bold(id), painted(label, c), c.dim(remarks.map(factOf).join(' · '))];
  const text = content === '' ? [] : pretty(content).split('\n');
  return [
    head.join(' ').trimEnd(),
    ...text.map((row) => `  ${row}`),
    ...notes.flatMap((note) => toPlainText(note).split('\n')).map((row) => c.dim(`  ${row}`)),
  ];
}

function painted(label: LineLabel, c: Colors): string {
  const text = labelText(label);
  return text === '' ? '' : painter(label.style, c)(text);
}

function labelText({ kind, name, sign }: LineLabel): string {
  if (sign !== null) return name === null ? sign : `${sign} ${toOneLine(name)}`.trim();
  return `[${toOneLine(kind).toUpperCase()}${name === null ? '' : `: ${toOneLine(name)}`}]`;
}

/** A sign with a name is not taken for a sentence with the words behind it. */
function gapOf({ sign, name }: LineLabel): string {
  if (sign === '' && name === null) return '';
  return sign !== null && name !== null ? '  ' : ' ';
}

function wrappedRows(
  { label, content, style, maxRows, remarks, mark }: Line,
  room: number,
  c: Colors,
): readonly string[] {
  const gap = gapOf(label);
  const indent = columns(labelText(label)) + gap.length;
  const paint = painter(style, c);
  const ends = remarks.map(factOf).join(' · ');
  const start = painted(label, c);
  if (content === '')
    return factsOnly(label, remarks.map(factOf), room, c).map((row, at) => row + (at === 0 ? markText(mark, c) : ''));
  if (typeof content !== 'string') {
    const head = [start, ...(ends === '' ? [] : [c.dim(ends)])].join('  ');
    return [
      head,
      ...pretty(content)
        .split('\n')
        .map((row) => paint(cut(row, room))),
    ];
  }
  const width = Math.max(leastRoom, room - indent);
  // No more is measured than could be printed.
  const all = wrapped(maxRows === null ? content : content.slice(0, (maxRows + 1) * width), width);
  const shown = maxRows !== null && all.length > maxRows ? [...all.slice(0, maxRows), '…'] : all;
  const last = shown.at(-1) ?? '';
  const beside = ends === '' || columns(last) + columns(ends) + 2 <= width;
  const end = (beside && ends !== '' ? `  ${c.dim(ends)}` : '') + markText(mark, c);
  const below = beside ? [] : factRows(remarks.map(factOf), width).map((row) => c.dim(row));
  const words = shown.map((row, at) => paint(row) + (at === shown.length - 1 ? end : ''));
  return [...words, ...below].map((row, at) => (at === 0 ? start + gap : ' '.repeat(indent)) + row);
}

/** Facts beside their label, as under a step. */
function factsOnly(label: LineLabel, facts: readonly string[], room: number, c: Colors): readonly string[] {
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
  const { label, content, form, style, state, remarks, chainId, mark } = line;
  const gap = gapOf(label);
  const words = form === 'arguments' ? formatArguments(content) : toOneLine(toValueText(content));
  const id = chainId === null ? '' : toOneLine(chainId);
  const ends = [...(state === null ? [] : [state.text]), ...remarks.map(factOf)].join(' · ');
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

function factOf(fact: Line['remarks'][number]): string {
  return toOneLine(toRemarkText(fact));
}

function pretty(value: Json): string {
  return typeof value === 'string' ? toPlainText(value) : toPlainJson(JSON.stringify(value, null, 2));
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
