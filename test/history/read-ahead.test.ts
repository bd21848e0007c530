/** Pages that are read while their reader does other work. */

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readAhead } from '../../src/history/read-ahead.js';

/** Pages, and how many of them were requested. */
function createPages(count: number, failing: Error | null = null) {
  const state = { requested: 0 };
  async function* read() {
    for (let page = 1; page <= count; page += 1) {
      state.requested += 1;
      await setImmediate();
      yield page;
    }
    if (failing !== null) throw failing;
  }
  return { state, pages: read() };
}

async function waitForPages(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

async function collect(pages: AsyncIterable<number>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

it('pages arrive before anybody takes them', async () => {
  const { state, pages } = createPages(5);
  const ahead = readAhead(pages);
  expect(await ahead.first).toBe(1);
  await waitForPages();
  expect(state.requested).toBe(5);
  expect(await collect(ahead.read())).toEqual([1, 2, 3, 4, 5]);
});

it('no pages are an empty first page', async () => {
  const ahead = readAhead(createPages(0).pages);
  expect(await ahead.first).toBeNull();
  expect(await collect(ahead.read())).toEqual([]);
});

it('an error is the reader’s, after the pages before it', async () => {
  const failure = new Error('gone');
  const ahead = readAhead(createPages(2, failure).pages);
  await waitForPages();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const page of ahead.read()) seen.push(page);
  })();
  await expect(reading).rejects.toBe(failure);
  expect(seen).toEqual([1, 2]);
});

it('an error that nobody awaits does not end the process', async () => {
  const unhandled: unknown[] = [];
  const record = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', record);
  try {
    readAhead(createPages(0, new Error('gone')).pages);
    readAhead(createPages(3, new Error('gone later')).pages).stop();
    await waitForPages();
  } finally {
    process.off('unhandledRejection', record);
  }
  expect(unhandled).toEqual([]);
});

it('a reader that stops early leaves one request at most', async () => {
  const { state, pages } = createPages(100);
  const ahead = readAhead(pages);
  for await (const page of ahead.read()) if (page === 3) break;
  const then = state.requested;
  await waitForPages();
  expect(then).toBeLessThan(10);
  expect(state.requested).toBeLessThanOrEqual(then + 1);
});
