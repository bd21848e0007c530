/**
 * Formats tables for a terminal, and the ids in them. Columns are as wide as their content; the last column takes the rest of
 * the line.
 */

import { toOneLine } from '../../core/lib/plain-text.js';
import { measureColumns, truncate } from './text.js';

export interface Cell {
  readonly text: string;
  /** Colours the text once it has been measured. */
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly head: string;
  readonly align?: 'right';
  /** Maximum width, in terminal columns. */
  readonly most?: number;
}

export interface TableOptions {
  readonly width: number;
  readonly paintHead: (text: string) => string;
}

const gap = '  ';

export function formatTable(
  heads: readonly Column[],
  cells: readonly (readonly Cell[])[],
  options: TableOptions,
): string {
  // A line break in a value would look like another row.
  const rows = cells.map((row) => row.map((cell) => ({ ...cell, text: toOneLine(cell.text) })));
  const widths = heads.map(({ head, most }, at) => {
    const widest = Math.max(measureColumns(head), ...rows.map((row) => measureColumns(row[at]?.text ?? '')));
    return Math.min(widest, most ?? widest);
  });
  const last = heads.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  widths[last] = Math.min(widths[last] ?? 0, Math.max(8, options.width - before));
  const line = (cells: readonly Cell[]) => {
    const parts = cells.map(({ text, paint = identity }, at) => {
      const shown = truncate(text, widths[at] ?? 0);
      const room = ' '.repeat((widths[at] ?? 0) - measureColumns(shown));
      return heads[at]?.align === 'right' ? room + paint(shown) : paint(shown) + (at === last ? '' : room);
    });
    return parts.join(gap).trimEnd();
  };
  const head = line(heads.map((column) => ({ text: column.head, paint: options.paintHead })));
  return `${[head, ...rows.map(line)].join('\n')}\n`;
}

function identity(text: string): string {
  return text;
}

/** The end of a root's id. In the id of a sub-chain a path follows, which distinguishes it in its tree. */
const uuid = /-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=$|\/)/;

/**
 * Shortens ids for a list. Each remains unique in the list, and the beginning of a generated id still finds its chain.
 */
export function shortenIds(ids: readonly string[]): readonly string[] {
  const short = ids.map((id) => id.replace(uuid, ''));
  return short.map((id, at) => (short.indexOf(id) === short.lastIndexOf(id) ? id : (ids[at] ?? id)));
}
