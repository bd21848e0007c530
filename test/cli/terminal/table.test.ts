/** Tables fit their terminal, keep ids and numbers whole, and are whole in a pipe. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, formatTable } from '../../../src/cli/terminal/table.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { toOneLine } from '../../../src/core/lib/plain-text.js';

const at = (tableWidth: number) => ({ color: false, tableWidth });
const inPipe = at(Number.POSITIVE_INFINITY);
const heads = [
  { head: 'chain', isId: true },
  { head: 'agent', cutTo: 8 },
  { head: 'cost', align: 'right' },
  { head: 'task', cutTo: 12 },
] as const;
const row = (...texts: readonly string[]): readonly Cell[] => texts.map((text) => ({ text }));

const id = 'mapper-2ef72826-1111-4222-8333-444455556666';
const task = 'Map every module of the repository, and write what each of them does';
const rows = [row('ship-2', 'mapper', '$10.00', '天气'), row(id, 'mapper', '$1.20', task)];

it('columns are as wide as their content, heads are capitals, and numbers are aligned to the right', () => {
  expect(formatTable(heads, rows.slice(0, 1), at(80))).toBe(
    'CHAIN   AGENT     COST  TASK\nship-2  mapper  $10.00  天气\n',
  );
});

it('texts are cut to the width of the terminal, and use all of it', () => {
  const [, , line = ''] = formatTable(heads, rows, at(100)).split('\n');
  expect(line).toBe(`${id}  mapper   $1.20  Map every module of the repository, an…`);
  expect(measureColumns(line)).toBe(100);
});

it('an id that leaves no room for the texts has a line of its own, once for rows that share it', () => {
  expect(formatTable(heads, [...rows, row(id, 'mapper', '$2.00', 'Again')], at(60))).toBe(
    [
      'CHAIN',
      '  AGENT     COST  TASK',
      'ship-2',
      '  mapper  $10.00  天气',
      id,
      '  mapper   $1.20  Map every module of the repository, and w…',
      '  mapper   $2.00  Again',
      '',
    ].join('\n'),
  );
});

it('a column that others imply is left out where the terminal is too narrow for it', () => {
  const [chain, agent, ...others] = heads;
  const implied = [chain, { ...agent, isImplied: true }, ...others];
  expect(formatTable(implied, rows, at(70))).toContain(`${id}   $1.20  Map every module…\n`);
  expect(formatTable(implied, rows, at(80))).toContain(`${id}  mapper   $1.20  Map every`);
});

it('in a pipe each row is one whole line', () => {
  expect(formatTable(heads, rows, inPipe)).toContain(`\n${id}  mapper   $1.20  ${task}\n`);
});

it('lines below a row follow it', () => {
  const listed = formatTable(heads, rows, inPipe, (below) => [`  below ${below}`]).split('\n');
  expect([listed[2], listed[4]]).toEqual(['  below 0', '  below 1']);
});

it('at any width no id and no number is cut, and no line is wider than the terminal or its uncut columns', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => toOneLine(text));
  const rowOf = fc.tuple(cell, cell, fc.integer({ min: 0 }).map(String), cell).map((texts) => row(...texts));
  fc.assert(
    fc.property(fc.array(rowOf, { maxLength: 8 }), fc.integer({ min: 20, max: 200 }), (all, width) => {
      const lines = formatTable(heads, all, at(width)).split('\n');
      // An indented line with its texts cut and a number of ten digits.
      const uncut = Math.max(
        width,
        2 + 8 + 2 + 10 + 2 + 12,
        ...all.map(([chain]) => measureColumns(chain?.text ?? '')),
      );
      for (const line of lines) expect(measureColumns(line)).toBeLessThanOrEqual(uncut);
      for (const [chain, , cost] of all) {
        expect(lines.some((line) => line.startsWith((chain?.text ?? '').trimEnd()))).toBe(true);
        expect(lines.some((line) => line.includes(cost?.text ?? ''))).toBe(true);
      }
    }),
  );
});

it('colours do not count for the width', () => {
  const paint = (text: string) => `<${text}>`;
  const painted = [[{ text: 'a', paint }, { text: 'b' }, { text: '1', paint }, { text: 'x' }]];
  expect(formatTable(heads, painted, at(80))).toBe('CHAIN  AGENT  COST  TASK\n<a>      b         <1>  x\n');
});
