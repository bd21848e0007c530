/** Tables and diffs in a terminal: widths, cuts, colours, and texts that would break them. */

import { describe, expect, it } from 'vitest';
import { formatBlockRows } from '../../../src/cli/print/block-rows.js';
import { formatFullStep } from '../../../src/cli/print/tree.js';
import { cleanText } from '../../../src/cli/terminal/colors.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { createViewer, toContentBlock, view } from '../../../src/entries/view.js';
import type { BlockRule, Json } from '../../../src/index.js';
import { call, reasoningWith, result } from '../../support/some-reasoning.js';

const show = (rule: BlockRule, value: Json, tableWidth: number, color = false) =>
  formatBlockRows(toContentBlock(rule, value)!, { color, tableWidth });

const note = 'a note that has many more words than a narrow terminal has room for, as notes of people often have';
const orders = [
  { id: 7, customer: 'Ada', total: 1_200.5, note },
  { id: 12, customer: 'Ben 北京', total: 80, note: 'two\nlines \u001b[31mred' },
];

describe('a table', () => {
  it.each([60, 80, 120])('fits %i columns: texts are cut, numbers never', (width) => {
    const rows = show({ as: 'table' }, orders, width);
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(measureColumns(row)).toBeLessThanOrEqual(width);
    expect(rows[0]).toMatch(/^id {2}customer {2,}total {2}note$/);
    expect(rows[1]).toMatch(/^ 7 {2}Ada {7,}1200\.5 {2}a note .*(?:…|often have)$/);
    expect(rows[2]).toMatch(/^12 {2}Ben 北京 {3,}80 {2}two lines red$/);
  });

  it('is whole in a pipe, and names what it leaves out', () => {
    expect(show({ as: 'table' }, orders, Number.POSITIVE_INFINITY)[1]).toContain(note);
    const many = Array.from({ length: 60 }, (_, n) => ({ n }));
    expect(show({ as: 'table' }, many, 80).at(-1)).toBe('… 10 more rows');
  });
});

describe('a diff', () => {
  const edit: BlockRule = { as: 'edit', place: 'path', before: 'old', after: 'new' };

  it('has signs and colours, and no other control characters', () => {
    const value = { path: 'a', old: 'same\nold\n', new: 'same\n\u001b[2Jnew\rx\n' };
    expect(show(edit, value, 80)).toEqual([' same', '-old', '+new x']);
    expect(show(edit, value, 80, true).map(cleanText)).toEqual([
      ' same',
      '\u001b[31m-old\u001b[39m',
      '\u001b[32m+new x\u001b[39m',
    ]);
  });
});

it('a step in full has them in place of JSON, below the rest of the value', () => {
  const chain = {
    ...reasoningWith([
      call('1.1', 'query', { sql: 'select' }),
      result('1.1', 'query', { columns: ['id'], rows: [[1], [2]], rowCount: 2 }),
    ]),
    tools: { query: { block: { as: 'table', rows: 'rows', columns: 'columns' } } as const },
  };
  const seen = view(chain, createViewer('developer'), {});
  const text = formatFullStep(seen.steps, seen, { color: false, tableWidth: 80 });
  expect(text).toContain('1.1 [DATABASE: query] ok');
  expect(text).toMatch(/\n {2}rowCount=2\n {2}id\n {3}1\n {3}2\n/);
});
