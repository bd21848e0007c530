/** Items that arrive while the consumer is busy are reported at once and read in order. */

import { expect, it } from 'vitest';
import { readAhead } from '../../../src/cli/terminal/read-ahead.js';

async function* three(): AsyncGenerator<number, void> {
  yield 1;
  yield 2;
  yield 3;
}

it('reports all items before the consumer has handled the first', async () => {
  const noticed: number[] = [];
  const read: number[] = [];
  for await (const item of readAhead(three(), (each) => noticed.push(each))) {
    await expect.poll(() => noticed).toEqual([1, 2, 3]);
    read.push(item);
  }
  expect(read).toEqual([1, 2, 3]);
});

it('throws the error of the source after all items before it', async () => {
  async function* broken(): AsyncGenerator<number, void> {
    yield 1;
    throw new Error('gone');
  }
  const read: number[] = [];
  const reading = async () => {
    for await (const item of readAhead(broken(), () => {})) read.push(item);
  };
  await expect(reading()).rejects.toThrow('gone');
  expect(read).toEqual([1]);
});

it('ends the source when the consumer stops', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<number, void> {
    try {
      for (;;) {
        yield 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      ended = true;
    }
  }
  for await (const _ of readAhead(endless(), () => {})) break;
  await expect.poll(() => ended).toBe(true);
});
