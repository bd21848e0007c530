/** The line above the chains of a thread. */

import { expect, it } from 'vitest';
import { formatThreadLine } from '../../../src/cli/chain/show-thread.js';

const spent = { steps: [], tokens: 10, costUsd: null };

it.each<[readonly number[], string]>([
  [[1, 2], 'Thread chat: 2 chains, 0 steps, 20 tokens'],
  [[3, 4, 5], 'Thread chat: 3 chains, 0 steps, 30 tokens; chains 3 to 5; the earlier ones are gone'],
  [[4], 'Thread chat: 1 chain, 0 steps, 10 tokens; chain 4; the earlier ones are gone'],
])('a thread with the chains %j states whether earlier ones are gone', (numbers, line) => {
  expect(
    formatThreadLine(
      'chat',
      numbers,
      numbers.map(() => spent),
    ),
  ).toBe(line);
});
