/** L7: long blocks of the event loop are reported, with the operation. */

import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type LoopBlock, markOperation, watchLoop } from '../../src/timing/loop-guard.js';

const blocks: LoopBlock[] = [];
let end = () => {};
afterEach(() => end());

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

async function watch(): Promise<void> {
  blocks.length = 0;
  end = watchLoop((each) => blocks.push(each));
  await setTimeout(100);
}

it('reports a block with the operation that took most of it', async () => {
  await watch();
  markOperation('fold');
  block(60);
  markOperation('tool crunch');
  block(400);
  markOperation('model reply');
  block(60);
  await expect.poll(() => blocks).toHaveLength(1);
  const [found] = blocks;
  expect(found?.operation).toBe('tool crunch');
  expect(found?.ms).toBeGreaterThan(450);
});

it('reports work without a mark, and no mark that ended before it', async () => {
  await watch();
  markOperation('fold');
  await setTimeout(60);
  block(400);
  await expect.poll(() => blocks).toEqual([{ ms: expect.any(Number), operation: null }]);
});

it('reports no short work, however much of it there is', async () => {
  await watch();
  for (let done = 0; done < 12; done += 1) {
    block(40);
    await setTimeout(0);
  }
  expect(blocks).toEqual([]);
});

it('reports to each reader until it ends its watch', async () => {
  await watch();
  const others: LoopBlock[] = [];
  watchLoop((each) => others.push(each))();
  block(300);
  await expect.poll(() => blocks).toHaveLength(1);
  expect(others).toEqual([]);
});
