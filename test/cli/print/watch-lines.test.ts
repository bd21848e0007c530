/** A watched chain: the tokens of each attempt are on separate lines. */

import { expect, it } from 'vitest';
import { createWatchPrinter, type WatchItem } from '../../../src/cli/print/watch-lines.js';

it('prints the tokens of each attempt on a new line', () => {
  const print = createWatchPrinter({ color: false, width: 80 });
  const spoken = (call: string, text: string): WatchItem => ({ type: 'token', step: 1, call, text });
  const texts = [spoken('model-1', 'I will '), spoken('model-1', 'ask'), spoken('model-2', 'I am asking')].map(print);
  expect(texts.join('')).toBe('  I will ask\n  I am asking');
});
