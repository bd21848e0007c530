/** Formats a table or a diff for a terminal. */

import { toOneLine, toPlainText } from '../../core/lib/index.js';
import { type ContentBlock, type DiffRow, diffSigns, type Style } from '../../core/view/index.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { createPainter } from './painter.js';

/** Columns to which a narrow terminal cuts texts of a table. */
const narrowColumns = 12;

const diffStyles: { readonly [change in DiffRow['change']]: Style } = {
  added: 'good',
  removed: 'bad',
  same: 'plain',
  heading: 'faint',
};

/** A diff is not cut, so that it can be copied. */
export function formatBlockRows(
  block: ContentBlock,
  terminal: Pick<Terminal, 'color' | 'tableWidth'>,
): readonly string[] {
  const c = getColors(terminal);
  const omitted = block.omitted.length === 0 ? [] : [c.dim(`… ${block.omitted.map(toOneLine).join(', ')}`)];
  if (block.kind === 'diff') {
    return [
      ...block.rows.map(({ change, text }) =>
        createPainter(diffStyles[change], c)(diffSigns[change] + toPlainText(text).replace(/\n/g, ' ')),
      ),
      ...omitted,
    ];
  }
  const columns = block.columns.map(({ name, isNumeric }) => ({
    head: name,
    isVerbatim: true,
    ...(isNumeric ? { align: 'right' as const } : { cutTo: narrowColumns }),
  }));
  const cells = block.rows.map((row) => row.map((text) => ({ text })));
  return [...formatTable(columns, cells, terminal).trimEnd().split('\n'), ...omitted];
}
