/** A watched chain: the tokens of each attempt are on separate lines, and gaps are marked. */

import { expect, it } from 'vitest';
import { createWatchPrinter, type WatchItem } from '../../../src/cli/print/watch-lines.js';

it('prints the tokens of each attempt on a new line', () => {
  const print = createWatchPrinter({ color: false, width: 80 });
  const spoken = (call: string, text: string, missing = 0): WatchItem => ({
    type: 'token',
    step: 1,
    call,
    text,
    missing,
  });
  const texts = [spoken('model-1', 'I will '), spoken('model-1', 'ask'), spoken('model-2', 'I am asking')].map(print);
  expect(texts.join('')).toBe('  I will ask\n  I am asking');
});

it('marks the place where pieces of a reply were not received', () => {
  const print = createWatchPrinter({ color: false, width: 80 });
  const token = { type: 'token', step: 1, call: 'model-1' } as const;
  const texts = [
    { ...token, text: 'It rains', missing: 0 },
    { ...token, text: 'tomorrow.', missing: 1_200 },
  ].map(print);
  expect(texts.join('')).toBe('  It rains [1,200 characters not received] tomorrow.');
});
