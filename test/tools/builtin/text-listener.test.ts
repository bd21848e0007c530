/** Pieces of an answer become the text so far, of which the newest characters are held back. */

import { expect, it } from 'vitest';
import { createTextListener } from '../../../src/tools/builtin/model-tool.js';

it('the text so far ends with a whole word, at least 80 characters before the newest one', () => {
  const emitted: string[] = [];
  const listen = createTextListener((text) => emitted.push(text));
  const text = `${'word '.repeat(60)}sk-ant-${'x'.repeat(200)} ${'end '.repeat(40)}`;
  for (let at = 0; at < text.length; at += 7) {
    listen(text.slice(at, at + 7));
    const last = emitted.at(-1) ?? '';
    expect(text.startsWith(last) && last.length <= Math.max(0, at + 7 - 80)).toBe(true);
    // A long word is shown once it is complete, and 80 characters follow it.
    expect(/x+$/.test(last)).toBe(false);
  }
  expect(emitted.length).toBeGreaterThan(20);
  expect(emitted.every((each) => /\s$/.test(each))).toBe(true);
});
