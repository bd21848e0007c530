/** Cached tool results: valid for a time, for equal calls of the same tenant. */

import { expect, it } from 'vitest';
import { type CacheKey, createToolCache } from '../../../src/store/cache/tool-cache.js';
import { describeStores } from '../../support/stores.js';

const key: CacheKey = {
  namespace: 'default',
  tenant: 'acme',
  tool: 'rates',
  version: '1',
  input: { of: 'EUR', on: 1 },
};

describeStores((open) => {
  it('returns a result for an equal call until it expires', async () => {
    let now = 1_000_000;
    const cache = createToolCache(await open(), () => now);
    expect(await cache.get(key, 60_000)).toBeNull();
    await cache.put(key, { rate: 1.1 }, 60_000);
    now += 59_999;
    const inAnotherOrder = { ...key, input: { on: 1, of: 'EUR' } };
    expect(await cache.get(inAnotherOrder, 60_000)).toEqual({ value: { rate: 1.1 }, ageMs: 59_999 });
    now += 1;
    expect(await cache.get(key, 60_000)).toBeNull();
  });

  it('C1: returns nothing for another tenant, tool, version or input', async () => {
    const cache = createToolCache(await open());
    await cache.put(key, 'ours', 60_000);
    const others: readonly CacheKey[] = [
      { ...key, namespace: 'other' },
      { ...key, tenant: 'other' },
      { ...key, tenant: null },
      { ...key, tool: 'rates2' },
      { ...key, version: '2' },
      { ...key, input: { of: 'EUR', on: '1' } },
    ];
    for (const other of others) expect(await cache.get(other, 60_000)).toBeNull();
    expect(await cache.get(key, 60_000)).toMatchObject({ value: 'ours' });
  });

  it('keeps the last of two results, and expires one with a future time', async () => {
    let now = 1_000_000;
    const cache = createToolCache(await open(), () => now);
    await cache.put(key, 'first', 60_000);
    await cache.put(key, 'second', 60_000);
    now -= 30_000;
    expect(await cache.get(key, 60_000)).toEqual({ value: 'second', ageMs: 0 });
  });

  it('stores no result that is too large, and deletes expired ones', async () => {
    let now = 1_000_000;
    const store = await open();
    const cache = createToolCache(store, () => now);
    await cache.put(key, 'x'.repeat(500_001), 60_000);
    expect(await cache.get(key, 60_000)).toBeNull();
    await cache.put(key, 'small', 60_000);
    now += 120_000;
    await cache.put({ ...key, input: null }, 'new', 60_000);
    expect(await store.db.selectFrom('tool_cache').selectAll().execute()).toHaveLength(1);
  });

  it("erases a tenant's results", async () => {
    const cache = createToolCache(await open());
    await cache.put(key, 'ours', 60_000);
    await cache.put({ ...key, tenant: null }, 'nobody’s', 60_000);
    await cache.erase({ namespace: 'default', tenant: 'acme' });
    expect(await cache.get(key, 60_000)).toBeNull();
    expect(await cache.get({ ...key, tenant: null }, 60_000)).not.toBeNull();
  });
});
