/** Foreign text has no effect in a terminal (X1). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toOneLine, toPlainText } from '../../../src/core/lib/plain-text.js';
import { anyText } from '../../support/any-text.js';

describe('X1: foreign text', () => {
  it('has no control characters except line breaks and tabs, and none that change its direction', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(toPlainText(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(toPlainText(text)).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u);
        expect(toOneLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a title of the window', '\u001b]0;owned\u0007text', 'text'],
    ['a link', '\u001b]8;;https://example.org\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a bell', 'ding\u0007', 'ding\ufffd'],
    ['an overwritten line', 'secret\rpublic', 'secret\npublic'],
    ['a text for the clipboard', 'a\u001b]52;c;cHduZWQ=\u0007b', 'ab'],
    ['a command in one byte', '\u009b2Ja\u009d0;owned\u009cb', 'ab'],
    ['a terminal reset', '\u001bcafter', 'after'],
    ['an escape that does not end', '\u001b', '\ufffd'],
    ['a title that does not end', '\u001b]0;owned\nafter', '0;owned\nafter'],
    ['text that runs backwards', 'a\u202eb', 'a\ufffdb'],
  ])('%s', (_name, text, shown) => {
    expect(toPlainText(text)).toBe(shown);
  });

  it('takes linear time, also for hostile text', () => {
    const milliseconds = (text: string) => {
      const before = performance.now();
      toPlainText(text);
      return performance.now() - before;
    };
    for (const piece of ['\u009d', '\u001b]0;', '\u001b[', '\u001b[1', '\u001b ', '\r']) {
      expect(milliseconds(piece.repeat(300_000))).toBeLessThan(5_000);
    }
  });
});
