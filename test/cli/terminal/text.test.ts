/** Untrusted text in a terminal: its measured width is its real width (X2). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureColumns, truncate, wrapText } from '../../../src/cli/terminal/text.js';
import { formatArguments } from '../../../src/core/lib/display.js';
import { toOneLine, toPlainText } from '../../../src/core/lib/plain-text.js';
import { anyText } from '../../support/any-text.js';
import { cpuCost } from '../../support/cpu-cost.js';

describe('X2: columns', () => {
  it.each([
    ['abc', 3],
    ['天气', 4],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['👍', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇫🇷', 2],
    ['❤️', 2],
    ['e\u0301', 1],
    ['a\u200bb', 2],
    ['├─ →', 4],
    ['', 0],
  ])('%s takes %d', (text, taken) => {
    expect(measureColumns(text)).toBe(taken);
  });

  it('a cut text is never wider than the limit, and unchanged if it fits', () => {
    fc.assert(
      fc.property(anyText.map(toOneLine), fc.integer({ min: 0, max: 60 }), (text, width) => {
        const shown = truncate(text, width);
        expect(measureColumns(shown)).toBeLessThanOrEqual(width);
        if (measureColumns(text) <= width && text.length <= width * 16) expect(shown).toBe(text);
        else if (width > 0) expect(shown.endsWith('…')).toBe(true);
      }),
    );
  });

  it('a character is never cut', () => {
    expect(truncate('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
    expect(truncate('天气很好', 4)).toBe('天…');
    expect(wrapText('天气很好', 5)).toEqual(['天气', '很好']);
  });

  it('a wrapped text keeps its words, and no line is wider than the limit', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 60 }), (text, width) => {
        const lines = wrapText(text, width);
        for (const line of lines) expect(measureColumns(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replace(/\s/g, '')).toBe(toPlainText(text).replace(/\s/g, ''));
      }),
    );
  });

  it('a text of ten megabytes is cut quickly', () => {
    const text = '天气 '.repeat(3_000_000);
    expect(measureColumns(truncate(text, 80))).toBeLessThanOrEqual(80);
    expect(cpuCost(() => truncate(text, 80))).toBeLessThan(1_000);
  });
});

describe('arguments', () => {
  it.each([
    [{ city: 'Paris', days: 3, deep: { a: [1] } }, 'city="Paris" days=3 deep={"a":[1]}'],
    [{}, ''],
    ['as\nit is', 'as it is'],
    [{ '\u001b[31mname': '\u001b[2J' }, '\\u{1b}[31mname="\\u001b[2J"'],
  ])('%j', (input, shown) => {
    expect(formatArguments(input)).toBe(shown);
  });
});
