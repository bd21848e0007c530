/** A watched chain: gaps in tokens are marked, and each line of a parallel call names it. */

import { expect, it } from 'vitest';
import { createWatchPrinter } from '../../../src/cli/print/watch-lines.js';
import { call, result } from '../../support/some-reasoning.js';

it('marks the place where pieces of a reply were not received', () => {
  const print = createWatchPrinter({ color: false, width: 80 });
  const token = { type: 'token', step: 1, call: 'model-1' } as const;
  const texts = [
    { ...token, text: 'It rains', missing: 0 },
    { ...token, text: 'tomorrow.', missing: 1_200 },
  ].map(print);
  expect(texts.join('')).toBe('It rains [1,200 characters not received] tomorrow.');
});

it('each call after the first of its step, and each result of parallel calls, carries its call', () => {
  const print = createWatchPrinter({ color: false, width: 80 });
  const items = [
    call('1.1', 'look', { city: 'Paris' }),
    call('1.2', 'look', { city: 'Rome' }),
    result('1.2', 'look', 'hot'),
    result('1.1', 'look', 'sunny'),
  ];
  const texts = items.map((step) =>
    print({ type: 'step-changed', step: { ...step, level: 'full', redacted: 0 }, state: 'tool_calling', progress: [] }),
  );
  expect(texts.join('')).toMatchInlineSnapshot(`
    "Step 1
      [TOOL: look] city="Paris"
      1.2 [TOOL: look] city="Rome"
      1.2 → hot  500 ms
      1.1 → sunny  500 ms
    "
  `);
});
