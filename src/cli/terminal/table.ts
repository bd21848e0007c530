/**
 * Formats all tables. A terminal's width decides the layout; in a pipe and in a file, everything is whole.
 *
 * X4 Ids and numbers are never cut: an id that is cut finds nothing. Where a row is too wide, texts are cut, then empty columns
 * and those that others imply are omitted, then ids get a line of their own.
 */

import { toOneLine } from '../../core/lib/index.js';
import { getColors } from './colors.js';
import type { Terminal } from './terminal.js';
import { measureColumns, truncate } from './text.js';

export interface Cell {
  readonly text: string;
  /** Colours the text once it has been measured. */
  readonly paint?: (text: string) => string;
}

export interface Column {
  /** Printed in capitals, unless it is data. */
  readonly head: string;
  readonly isVerbatim?: boolean;
  readonly align?: 'right';
  /** Width to which a narrow terminal cuts texts. Default: they are never cut. */
  readonly cutTo?: number;
  /** The column gets a line above its row in a narrow terminal, once for rows with the same id. */
  readonly isId?: boolean;
  /** Other columns show the same: like an empty column, it is omitted in a narrow terminal. */
  readonly isImplied?: boolean;
}

const gap = '  ';

/** Returns the first columns of a list of chains: id and agent. */
export function createNameColumns(
  rows: readonly { readonly chainId: string; readonly agent: string }[],
): readonly Column[] {
  // The id of a chain that was started without one begins with its agent.
  const isImplied = rows.every(({ chainId, agent }) => chainId.startsWith(`${agent}-`));
  return [
    { head: 'chain', isId: true },
    { head: 'agent', cutTo: 18, isImplied },
  ];
}

/** @param listBelow returns the lines below a row */
export function formatTable(
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  { color, tableWidth }: Pick<Terminal, 'color' | 'tableWidth'>,
  listBelow: (row: number) => readonly string[] = () => [],
): string {
  const c = getColors({ color });
  // A line break in a value would look like another row.
  const rows = cells.map((row) => row.map((cell) => ({ ...cell, text: toOneLine(cell.text) })));
  const heads = columns.map(({ head, isVerbatim }) => ({
    text: isVerbatim ? toOneLine(head) : head.toUpperCase(),
    paint: c.dim,
  }));
  const widths = columns.map(({ cutTo }, at) => {
    const widest = Math.max(...[heads, ...rows].map((row) => measureColumns(row[at]?.text ?? '')));
    return cutTo === undefined ? widest : Math.min(tableWidth, widest);
  });
  const isEmpty = (at: number) => rows.every((row) => (row[at]?.text ?? '') === '');
  const needed = columns.map((column, at) => ({ ...column, isImplied: column.isImplied || isEmpty(at) }));
  const { shown, id } = chooseLayout(needed, widths, tableWidth);
  const indent = id === null ? '' : gap;
  const fitted = cutWidths(columns, widths, shown, tableWidth - indent.length);
  const formatLine = (row: readonly Cell[]) => {
    const parts = shown.map((at) => {
      const { text = '', paint = identity } = row[at] ?? {};
      const part = truncate(text, fitted[at] ?? 0);
      const room = ' '.repeat((fitted[at] ?? 0) - measureColumns(part));
      return columns[at]?.align === 'right' ? room + paint(part) : paint(part) + room;
    });
    return (indent + parts.join(gap)).trimEnd();
  };
  const formatId = (row: readonly Cell[], before: readonly Cell[] | undefined) => {
    const { text = '', paint = identity } = id === null ? {} : (row[id] ?? {});
    return id === null || text === '' || text === before?.[id]?.text ? [] : [paint(text)];
  };
  const lines = [heads, ...rows].flatMap((row, at, all) => [
    ...formatId(row, all[at - 1]),
    formatLine(row),
    ...(at === 0 ? [] : listBelow(at - 1)),
  ]);
  return `${lines.join('\n')}\n`;
}

interface Layout {
  /** The columns of a row's line. */
  readonly shown: readonly number[];
  /** The column with a line of its own. */
  readonly id: number | null;
}

/** Returns the first layout that fits, or else the narrowest. */
function chooseLayout(columns: readonly Column[], widths: readonly number[], room: number): Layout {
  const all = columns.map((_, at) => at);
  const needed = all.filter((at) => !columns[at]?.isImplied);
  const id = columns.findIndex(({ isId }) => isId);
  const layouts: readonly Layout[] = [
    { shown: all, id: null },
    { shown: needed, id: null },
    ...(id < 0 ? [] : [all, needed].map((indexes) => ({ shown: indexes.filter((at) => at !== id), id }))),
  ];
  const fits = (layout: Layout) => {
    const least = layout.shown.map((at) => Math.min(widths[at] ?? 0, columns[at]?.cutTo ?? Number.POSITIVE_INFINITY));
    return sumWidths(least) + (layout.id === null ? 0 : gap.length) <= room;
  };
  return layouts.find(fits) ?? layouts.at(-1) ?? { shown: all, id: null };
}

/** Cuts the widest of the columns that may be cut, until the line fits. */
function cutWidths(
  columns: readonly Column[],
  widths: readonly number[],
  indexes: readonly number[],
  room: number,
): readonly number[] {
  const cut = [...widths];
  const mayBeCut = (at: number) => (cut[at] ?? 0) > (columns[at]?.cutTo ?? Number.POSITIVE_INFINITY);
  for (let over = sumWidths(indexes.map((at) => cut[at] ?? 0)) - room; over > 0; over--) {
    const [widest] = indexes.filter(mayBeCut).toSorted((a, b) => (cut[b] ?? 0) - (cut[a] ?? 0));
    if (widest === undefined) break;
    cut[widest] = (cut[widest] ?? 0) - 1;
  }
  return cut;
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * Math.max(0, widths.length - 1);
}

function identity(text: string): string {
  return text;
}
