/** Formats lines of a chain for a terminal: below each other, as a tree, or in full. */

import { formatArguments, type Json, toOneLine, toPlainJson, toPlainText, toValueText } from '../../core/lib/index.js';
import { type Line, type LineLabel, type LineTree, toRemarkText } from '../../core/view/index.js';
import { type Colors, getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { measureColumns, truncate, wrapText } from '../terminal/text.js';
import { drawBar } from './bar.js';
import { formatBlockRows } from './block-rows.js';
import { createPainter } from './painter.js';

/** Columns of a bar, and fewer in a narrow terminal. */
const [barColumns, narrowBarColumns] = [20, 10];
/** Minimum columns for a text after its bar. */
const minBarTextColumns = 32;

/** Minimum columns for text at any depth of a tree. */
const minColumns = 20;
/** Minimum columns of a cut text before its remarks are cut. */
const minTextColumns = 24;

/** Formats a line as rows. No row is wider than the room, apart from the mark. */
export function formatLineRows(line: Line, room: number, c: Colors): readonly string[] {
  const rows = line.form === 'words' ? formatWrappedRows(line, room, c) : formatCutRows(line, room, c);
  const notes = line.notes.flatMap((note) => wrapText(toOneLine(note), Math.max(minColumns, room - 2)));
  return [...rows, ...notes.map((row) => c.dim(`  ${row}`))];
}

/** Formats lines as a tree, with `├─` and `└─` before each. */
export function formatTreeRows(
  branches: readonly LineTree[],
  width: number,
  c: Colors,
  before = '',
): readonly string[] {
  return branches.flatMap(({ line, children }, at) => {
    const last = at === branches.length - 1;
    const rest = before + (last ? '   ' : '│  ');
    // The branch to the children is drawn to the left of the text.
    const margin = children.length > 0 ? `${rest}│  ` : rest;
    const [first = '', ...more] = formatLineRows(line, Math.max(minColumns, width - margin.length), c);
    return [
      c.dim(before + (last ? '└─ ' : '├─ ')) + first,
      ...more.map((row) => c.dim(children.length > 0 ? margin : rest) + row),
      ...formatTreeRows(children, width, c, rest),
    ];
  });
}

/**
 * Formats a line in full, without cuts or wrapping, so that it can be copied. Only a table is cut to the width of a terminal.
 *
 * @param id of the item, on the first row
 */
export function formatFullRows(
  line: Line,
  id: string | null,
  { color, tableWidth }: Pick<Terminal, 'color' | 'tableWidth'>,
): readonly string[] {
  const c = getColors({ color });
  const { label, content, remarks, notes, block } = line;
  const head = [id === null ? ' ' : c.bold(id), paintLabel(label, c), c.dim(remarks.map(formatRemark).join(' · '))];
  const body = block === null ? formatBody(content) : formatArguments(content);
  const text = content === '' ? [] : body.split('\n');
  const laidOut = block === null ? [] : formatBlockRows(block, { color, tableWidth: tableWidth - 2 });
  return [
    head.join(' ').trimEnd(),
    ...text.map((row) => `  ${row}`),
    ...laidOut.map((row) => `  ${row}`),
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

/** The gap between label and text. It is wider after a sign with a name, so that they do not read as one sentence. */
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
  const ends = remarks.map(formatRemark).join(' · ');
  const start = paintLabel(label, c);
  if (content === '')
    return formatRemarksOnly(label, remarks.map(formatRemark), room, c).map(
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
  // Text that cannot be printed is not measured.
  const all = wrapText(maxRows === null ? content : content.slice(0, (maxRows + 1) * width), width);
  const textRows = maxRows !== null && all.length > maxRows ? [...all.slice(0, maxRows), '…'] : all;
  const last = textRows.at(-1) ?? '';
  const fitsLast = ends === '' || measureColumns(last) + measureColumns(ends) + 2 <= width;
  const end = (fitsLast && ends !== '' ? `  ${c.dim(ends)}` : '') + formatMark(mark, c);
  const below = fitsLast ? [] : wrapRemarks(remarks.map(formatRemark), width).map((row) => c.dim(row));
  const words = textRows.map((row, at) => paint(row) + (at === textRows.length - 1 ? end : ''));
  return [...words, ...below].map((row, at) => (at === 0 ? start + gap : ' '.repeat(indent)) + row);
}

/** Formats a label with its remarks, without text. */
function formatRemarksOnly(label: LineLabel, remarks: readonly string[], room: number, c: Colors): readonly string[] {
  const start = formatLabel(label);
  const indent = start === '' ? 0 : measureColumns(start) + 2;
  const [first = '', ...more] = wrapRemarks(remarks, Math.max(minColumns, room - indent)).map((row) => c.dim(row));
  const head = [paintLabel(label, c), first].filter((part) => part !== '').join('  ');
  return [head, ...more.map((row) => ' '.repeat(indent) + row)];
}

/** Wraps between remarks; within a remark only if it is longer than a row. */
function wrapRemarks(remarks: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const remark of remarks) {
    const joined = rows.length === 0 ? remark : `${rows.at(-1)} · ${remark}`;
    if (measureColumns(joined) <= width) rows.splice(-1, 1, joined);
    else rows.push(...wrapText(remark, width));
  }
  return rows;
}

/** Formats a line in one row: the text is cut first, then the remarks. If necessary, the chain's id gets a second row. */
function formatCutRows(line: Line, room: number, c: Colors): readonly string[] {
  const { label, content, form, style, state, remarks, chainId, mark, share } = line;
  const gap = getGap(label);
  const words = form === 'arguments' ? formatArguments(content) : toOneLine(toValueText(content));
  const id = chainId === null ? '' : toOneLine(chainId);
  const ends = [...(state === null ? [] : [state.text]), ...remarks.map(formatRemark)].join(' · ');
  const bar = formatBar(share, room - measureColumns(formatLabel(label)) - gap.length, c);
  const rest = room - measureColumns(formatLabel(label)) - gap.length - bar.columns;
  const least = Math.min(minTextColumns, measureColumns(words));
  const space = (text: string) => (text === '' ? 0 : measureColumns(text) + 2);
  const fitsId = id !== '' && least + space(ends) + space(id) <= rest;
  const taken = space(ends) + (fitsId ? space(id) : 0);
  const text = truncate(words, Math.max(least, rest - taken));
  const end = truncate(ends, Math.max(0, rest - measureColumns(text) - 2));
  const parts = [
    paintLabel(label, c) + (text === '' ? '' : gap + bar.text + createPainter(style, c)(text)),
    ...(end === '' ? [] : [paintEnd(end, line, c)]),
    ...(fitsId ? [c.dim(id)] : []),
  ];
  const first = parts.join('  ').trimEnd() + formatMark(mark, c);
  return id === '' || fitsId ? [first] : [first, ...wrapText(id, room - 2).map((row) => `  ${c.dim(row)}`)];
}

/** A terminal without room for a bar shows only the percentage, which the text begins with. */
function formatBar(share: number | null, room: number, c: Colors): { readonly text: string; readonly columns: number } {
  const columns = [barColumns, narrowBarColumns].find((width) => width + minBarTextColumns <= room);
  if (share === null || columns === undefined) return { text: '', columns: 0 };
  const [done, rest] = drawBar(share, columns);
  return { text: `${c.green(done)}${c.dim(rest)}  `, columns: columns + 2 };
}

function paintEnd(end: string, { state }: Line, c: Colors): string {
  if (state === null) return c.dim(end);
  const own = end.slice(0, state.text.length);
  return createPainter(state.style, c)(own) + c.dim(end.slice(own.length));
}

function formatMark(mark: string | null, c: Colors): string {
  return mark === null ? '' : `  ${c.red(c.bold(`◀ ${mark}`))}`;
}

function formatRemark(remark: Line['remarks'][number]): string {
  return toOneLine(toRemarkText(remark));
}

function formatBody(value: Json): string {
  return typeof value === 'string' ? toPlainText(value) : toPlainJson(JSON.stringify(value, null, 2));
}
