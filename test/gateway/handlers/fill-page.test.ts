/** Pages of rows that are filtered after they are read. */

import { describe, expect, it } from 'vitest';
import { fillPage, type Page, type PageOptions } from '../../../src/gateway/handlers/fill-page.js';

const signal = new AbortController().signal;

/** Numbers from 0, of which some are rows. A cursor is the next number. */
function createList(size: number, isRow: (number: number) => boolean) {
  const reads: number[] = [];
  const readPage = async ({ limit, cursor }: PageOptions) => {
    reads.push(limit);
    const first = Number(cursor ?? 0);
    const end = Math.min(first + limit, size);
    const numbers = Array.from({ length: end - first }, (_, at) => first + at);
    return { items: numbers.filter(isRow), cursor: end === size ? null : String(end) };
  };
  return { reads, readPage };
}

describe('a page', () => {
  it('ends after some searches, however few rows it may have', async () => {
    const { reads, readPage } = createList(300, () => false);
    const page = await fillPage({ limit: 1, cursor: undefined, signal }, readPage);
    expect(page).toEqual({ items: [], cursor: '8' });
    expect(reads).toHaveLength(8);
  });

  it('is one read where most rows are kept', async () => {
    const { reads, readPage } = createList(100, (number) => number % 4 !== 0);
    const page = await fillPage({ limit: 20, cursor: undefined, signal }, readPage);
    expect(page.items).toHaveLength(15);
    expect(page.cursor).toBe('20');
    expect(reads).toEqual([20]);
  });

  it('is read on where few rows are kept, and has each row once', async () => {
    const { reads, readPage } = createList(300, (number) => number % 10 === 9);
    const found: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Page<number> = await fillPage({ limit: 20, cursor, signal }, readPage);
      expect(page.items.length).toBeLessThanOrEqual(20);
      found.push(...page.items);
      cursor = page.cursor;
    }
    expect(found).toEqual(Array.from({ length: 30 }, (_, at) => at * 10 + 9));
    expect(Math.min(...reads)).toBeGreaterThanOrEqual(10);
  });

  it('examines at most 200 rows, and has a cursor where more follow', async () => {
    const { reads, readPage } = createList(1_000, () => false);
    expect(await fillPage({ limit: 150, cursor: '7', signal }, readPage)).toEqual({ items: [], cursor: '207' });
    expect(reads).toEqual([150, 50]);
  });

  it('is read no further after its request has ended', async () => {
    const ended = new AbortController();
    const { reads, readPage } = createList(1_000, () => false);
    const filled = fillPage({ limit: 10, cursor: undefined, signal: ended.signal }, async (options) => {
      ended.abort(new Error('The client has gone.'));
      return readPage(options);
    });
    await expect(filled).rejects.toThrow('The client has gone.');
    expect(reads).toHaveLength(1);
  });
});
