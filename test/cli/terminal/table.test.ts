/** Tables keep their columns with any content. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTable, shortenIds } from '../../../src/cli/terminal/table.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { toOneLine } from '../../../src/core/lib/plain-text.js';

const plainHead = { paintHead: (text: string) => text };
const heads = [{ head: 'name', most: 12 }, { head: 'cost', align: 'right' }, { head: 'task' }] as const;

it('columns are as wide as their content, and numbers are aligned to the right', () => {
  const rows = [
    [{ text: '天气' }, { text: '$1.20' }, { text: 'a task' }],
    [{ text: 'a long name indeed' }, { text: '$10.00' }, { text: 'another' }],
  ];
  expect(formatTable(heads, rows, { width: 80, ...plainHead })).toBe(
    ['name            cost  task', '天气           $1.20  a task', 'a long name…  $10.00  another', ''].join('\n'),
  );
});

it('the last column takes the rest of the line, and no line is wider', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => ({ text: toOneLine(text) }));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }), (rows) => {
      const named = rows.map(([name, cost, task]) => [name, { text: cost.text.slice(0, 8) }, task]);
      const width = 60;
      for (const line of formatTable(heads, named, { width, ...plainHead }).split('\n')) {
        expect(measureColumns(line)).toBeLessThanOrEqual(width);
      }
    }),
  );
});

it('colours do not count for the width', () => {
  const paint = (text: string) => `<${text}>`;
  const rows = [[{ text: 'a', paint }, { text: '1', paint }, { text: 'x' }]];
  expect(formatTable(heads, rows, { width: 80, ...plainHead })).toBe('name  cost  task\n<a>        <1>  x\n');
});

const rest = '-1111-4222-8333-444455556666';

it("a generated id is shortened, and a sub-chain's id is its root's short id with the path", () => {
  expect(
    shortenIds([`mapper-2ef72826${rest}`, `mapper-2ef72826${rest}/1.1.4`, `mapper-2ef72826${rest}/1.1.4/2.1`]),
  ).toEqual(['mapper-2ef72826', 'mapper-2ef72826/1.1.4', 'mapper-2ef72826/1.1.4/2.1']);
});

it('chosen ids, and ids that would become equal, are shown in full', () => {
  const alike = [`tea-2ef72826${rest}`, 'tea-2ef72826-1111-4222-8333-000000000000'];
  expect(shortenIds(['shop/7', ...alike])).toEqual(['shop/7', ...alike]);
});
