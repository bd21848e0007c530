/** Lines of a chain in the columns and colours of a terminal: one below the other, as a tree, or whole. */

import { formatArguments } from '../../core/lib/display.js';
import { type Json, toValueText } from '../../core/lib/json.js';
import { toOneLine, toPlainJson, toPlainText } from '../../core/lib/plain-text.js';
import { type Line, type LineLabel, type LineTree, type Style, toRemarkText } from '../../core/print/line.js';
import type { Colors } from '../terminal/colors.js';
import { measureColumns, truncate, wrapText } from '../terminal/text.js';

/** Columns that are left for words, however deep they are in a tree. */
const minColumns = 20;
/** Columns of a cut text that its facts leave to it. */
const minTextColumns = 24;

/** @returns the rows of a line, none wider than the room but for its mark */
export function formatLineRows(line: Line, room: number, c: Colors): readonly string[] {
  const rows = line.form === 'words' ? formatWrappedRows(line, room, c) : formatCutRows(line, room, c);
  return [...rows, ...line.notes.map((note) => c.dim(`  ${truncate(toOneLine(note), room - 2)}`))];
}

/** With `├─` and `└─` before each line, and its own rows and what is under it behind that. */
export function formatTreeRows(
  branches: readonly LineTree[],
  width: number,
  c: Colors,
  before = '',
): readonly string[] {
  return branches.flatMap(({ line, children }, at) => {
    const last = at === branches.length - 1;
    const rest = before + (last ? '   ' : '│  ');
    // Below the first row, the line to what is under it is drawn beside the text.
    const beside = children.length > 0 ? `${rest}│  ` : rest;
    const [first = '', ...more] = formatLineRows(line, Math.max(minColumns, width - beside.length), c);
    return [
      c.dim(before + (last ? '└─ ' : '├─ ')) + first,
      ...more.map((row) => c.dim(rest) + row),
      ...formatTreeRows(children, width, c, rest),
    ];
  });
}

/** Nothing is cut or broken into rows: it can be copied. @param id of the item, on its first line */
export function formatFullRows(line: Line, id: string | null, c: Colors): readonly string[] {
  const { label, content, remarks, notes } = line;
  const head = [id === null ? ' ' : c.bold(id), paintLabel(label, c), c.dim(remarks.map(formatFact).join(' · '))];
  const text = content === '' ? [] : formatBody(content).split('\n');
  return [
    head.join(' ').trimEnd(),
    ...text.map((row) => `  ${row}`),
    ...notes.flatMap((note) => toPlainText(note).split('\n')).map((row) => c.dim(`  ${row}`)),
  ];
}

function paintLabel(label: LineLabel, c: Colors): string {
  const text = formatLabel(label);
  return text === '' ? '' : createPainter(label.style, c)(text);
}

function formatLabel({ kind, name, sign }: LineLabel): string {
  if (sign !== null) return name === null ? sign : `${sign} ${toOneLine(name)}`.trim();
  return `[${toOneLine(kind).toUpperCase()}${name === null ? '' : `: ${toOneLine(name)}`}]`;
}

/** A sign with a name is not taken for a sentence with the words behind it. */
function getGap({ sign, name }: LineLabel): string {
  if (sign === '' && name === null) return '';
  return sign !== null && name !== null ? '  ' : ' ';
}

function formatWrappedRows(
  { label, content, style, maxRows, remarks, mark }: Line,
  room: number,
  c: Colors,
): readonly string[] {
  const gap = getGap(label);
  const indent = measureColumns(formatLabel(label)) + gap.length;
  const paint = createPainter(style, c);
  const ends = remarks.map(formatFact).join(' · ');
  const start = paintLabel(label, c);
  if (content === '')
    return formatFactsOnly(label, remarks.map(formatFact), room, c).map(
      (row, at) => row + (at === 0 ? formatMark(mark, c) : ''),
    );
  if (typeof content !== 'string') {
    const head = [start, ...(ends === '' ? [] : [c.dim(ends)])].join('  ');
    return [
      head,
      ...formatBody(content)
        .split('\n')
        .map((row) => paint(truncate(row, room))),
    ];
  }
  const width = Math.max(minColumns, room - indent);
  // No more is measured than could be printed.
  const all = wrapText(maxRows === null ? content : content.slice(0, (maxRows + 1) * width), width);
  const shown = maxRows !== null && all.length > maxRows ? [...all.slice(0, maxRows), '…'] : all;
  const last = shown.at(-1) ?? '';
  const beside = ends === '' || measureColumns(last) + measureColumns(ends) + 2 <= width;
  const end = (beside && ends !== '' ? `  ${c.dim(ends)}` : '') + formatMark(mark, c);
  const below = beside ? [] : wrapFacts(remarks.map(formatFact), width).map((row) => c.dim(row));
  const words = shown.map((row, at) => paint(row) + (at === shown.length - 1 ? end : ''));
  return [...words, ...below].map((row, at) => (at === 0 ? start + gap : ' '.repeat(indent)) + row);
}

/** Facts beside their label, as under a step. */
function formatFactsOnly(label: LineLabel, facts: readonly string[], room: number, c: Colors): readonly string[] {
  const start = formatLabel(label);
  const indent = start === '' ? 0 : measureColumns(start) + 2;
  const [first = '', ...more] = wrapFacts(facts, Math.max(minColumns, room - indent)).map((row) => c.dim(row));
  const head = [paintLabel(label, c), first].filter((part) => part !== '').join('  ');
  return [head, ...more.map((row) => ' '.repeat(indent) + row)];
}

/** Breaks between facts, and within one only where it is longer than a row. */
function wrapFacts(facts: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const fact of facts) {
    const joined = rows.length === 0 ? fact : `${rows.at(-1)} · ${fact}`;
    if (measureColumns(joined) <= width) rows.splice(-1, 1, joined);
    else rows.push(...wrapText(fact, width));
  }
  return rows;
}

/** The words give way to the facts, those to the first of the words, and the id of a chain gets a row of its own. */
function formatCutRows(line: Line, room: number, c: Colors): readonly string[] {
  const { label, content, form, style, state, remarks, chainId, mark } = line;
  const gap = getGap(label);
  const words = form === 'arguments' ? formatArguments(content) : toOneLine(toValueText(content));
  const id = chainId === null ? '' : toOneLine(chainId);
  const ends = [...(state === null ? [] : [state.text]), ...remarks.map(formatFact)].join(' · ');
  const rest = room - measureColumns(formatLabel(label)) - gap.length;
  const least = Math.min(minTextColumns, measureColumns(words));
  const space = (text: string) => (text === '' ? 0 : measureColumns(text) + 2);
  const beside = id !== '' && least + space(ends) + space(id) <= rest;
  const taken = space(ends) + (beside ? space(id) : 0);
  const shown = truncate(words, Math.max(least, rest - taken));
  const end = truncate(ends, Math.max(0, rest - measureColumns(shown) - 2));
  const parts = [
    paintLabel(label, c) + (shown === '' ? '' : gap + createPainter(style, c)(shown)),
    ...(end === '' ? [] : [paintEnd(end, line, c)]),
    ...(beside ? [c.dim(id)] : []),
  ];
  const first = parts.join('  ').trimEnd() + formatMark(mark, c);
  return id === '' || beside ? [first] : [first, ...wrapText(id, room - 2).map((row) => `  ${c.dim(row)}`)];
}

function paintEnd(end: string, { state }: Line, c: Colors): string {
  if (state === null) return c.dim(end);
  const own = end.slice(0, state.text.length);
  return createPainter(state.style, c)(own) + c.dim(end.slice(own.length));
}

function formatMark(mark: string | null, c: Colors): string {
  return mark === null ? '' : `  ${c.red(c.bold(`◀ ${mark}`))}`;
}

function formatFact(fact: Line['remarks'][number]): string {
  return toOneLine(toRemarkText(fact));
}

function formatBody(value: Json): string {
  return typeof value === 'string' ? toPlainText(value) : toPlainJson(JSON.stringify(value, null, 2));
}

export function createPainter(style: Style, c: Colors): (text: string) => string {
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
