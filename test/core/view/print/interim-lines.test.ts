/** The progress of a running call: which values are progress, and what readers see of it. */

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formatLineRows } from '../../../../src/cli/print/terminal-lines.js';
import { getColors } from '../../../../src/cli/terminal/colors.js';
import { measureColumns } from '../../../../src/cli/terminal/text.js';
import { formatInterimLine } from '../../../../src/core/view/print/interim-lines.js';
import type { Json } from '../../../../src/index.js';

const show = (value: Json, width: number, tool: string | null = 'import') =>
  formatLineRows(formatInterimLine(value, tool), width, getColors({ color: false })).join('\n');

describe('progress', () => {
  it('is a bar with percent, count and message, as wide as the terminal permits', () => {
    const half = { progress: 1_234, total: 2_468, message: 'reading customers.csv' };
    expect(show(half, 80)).toBe('⋯ import  ██████████░░░░░░░░░░  50 % · 1,234 of 2,468 · reading customers.csv');
    expect(show(half, 60)).toBe('⋯ import  █████░░░░░  50 % · 1,234 of 2,468 · reading custo…');
    expect(show(half, 40)).toBe('⋯ import  50 % · 1,234 of 2,468 · readi…');
    for (const width of [40, 50, 80, 120]) expect(measureColumns(show(half, width))).toBeLessThanOrEqual(width);
  });

  it.each<[Json, string]>([
    [{ progress: 0.4, total: 1 }, '████████░░░░░░░░░░░░  40 %'],
    [{ progress: 99.99, total: 100, message: null }, '████████████████████  99 %'],
    [{ progress: 3, total: 2 }, '████████████████████  100 % · 3 of 2'],
    [{ progress: 1_200, message: 'reading' }, '1,200 · reading'],
    [{ progress: 0.25, total: null, message: ' ' }, '0.3'],
    [{ progress: 5, total: 0 }, '5'],
    [{ progress: 1.5, total: 3.25 }, '█████████░░░░░░░░░░░  46 % · 1.5 of 3.3'],
  ])('%j is %s', (value, text) => {
    expect(show(value, 80)).toBe(`⋯ import  ${text}`);
  });

  it('has no other members: such a value is shown as it is', () => {
    const others: readonly Json[] = [
      { progress: 1, total: 2, rows: [] },
      { progress: null },
      { progress: -1 },
      { progress: 1, total: '2' },
      { progress: 1, message: 3 },
      { total: 2 },
      [1],
    ];
    for (const value of others) expect(show(value, 80)).toBe(`⋯ import  ${JSON.stringify(value)}`);
  });

  it('has a message in one row, without control characters', () => {
    const text = show({ progress: 1, total: 2, message: 'a\n\u001b[2Jb\u202e' }, 80);
    expect(text).toBe(stripVTControlCharacters(text));
    expect(text).toMatch(/^.*50 % · 1 of 2 · a b.?$/);
  });
});
