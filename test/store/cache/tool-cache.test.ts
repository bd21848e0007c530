/** Cached tool results: valid for a time, for equal calls of the same tenant. */

import { expect, it } from 'vitest';
import type { Json } from '../../../src/index.js';
import { type CacheKey, createToolCache } from '../../../src/store/cache/tool-cache.js';
import { budget } from '../../support/budget.js';
import { runProcesses } from '../../support/store-process.js';
import { alsoOnPostgres, describeStores, sharedDatabases } from '../../support/stores.js';

const key: CacheKey = {
  namespace: 'default',
  tenant: 'acme',
  tool: 'rates',
  version: '1',
  input: { of: 'EUR', on: 1 },
};

const ttlMs = 60_000;

describeStores((open) => {
  /** Opens a cache with a clock that only the test moves. */
  const openCache = async () => {
    const clock = { now: 1_000_000 };
    const store = await open();
    const cache = createToolCache(store, () => clock.now);
    return {
      ...{ clock, store },
      get: async (of: CacheKey) => (await cache.get(of, ttlMs)).found,
      put: (of: CacheKey, value: Json) => cache.put(of, value, { at: clock.now, ttlMs }),
      cache,
    };
  };

  it('returns a result for an equal call until it expires', async () => {
    const { clock, get, put } = await openCache();
    expect(await get(key)).toBeNull();
    await put(key, { rate: 1.1 });
    clock.now += 59_999;
    const inAnotherOrder = { ...key, input: { on: 1, of: 'EUR' } };
    expect(await get(inAnotherOrder)).toEqual({ value: { rate: 1.1 }, ageMs: 59_999 });
    clock.now += 1;
    expect(await get(key)).toBeNull();
  });

  it('C1: returns nothing for another tenant, tool, version or input', async () => {
    const { get, put } = await openCache();
    await put(key, 'ours');
    const others: readonly CacheKey[] = [
      { ...key, namespace: 'other' },
      { ...key, tenant: 'other' },
      { ...key, tenant: null },
      { ...key, tool: 'rates2' },
      { ...key, version: '2' },
      { ...key, input: { of: 'EUR', on: '1' } },
    ];
    for (const other of others) expect(await get(other)).toBeNull();
    expect(await get(key)).toMatchObject({ value: 'ours' });
  });

  it('C3: a result is as old as the lookup before its call, however long the call takes', async () => {
    const { clock, get, cache } = await openCache();
    const { at } = await cache.get(key, ttlMs);
    clock.now += 50_000;
    await cache.put(key, 'slow', { at, ttlMs });
    expect(await get(key)).toEqual({ value: 'slow', ageMs: 50_000 });
    clock.now += 10_000;
    expect(await get(key)).toBeNull();
  });

  it('C3: measures ages by the clock of the database', async () => {
    const cache = createToolCache(await open());
    const { at } = await cache.get(key, ttlMs);
    expect(Math.abs(at - Date.now())).toBeLessThan(5_000);
    await cache.put(key, 'old', { at: at - ttlMs, ttlMs });
    expect((await cache.get(key, ttlMs)).found).toBeNull();
    await cache.put(key, 'new', { at, ttlMs });
    expect((await cache.get(key, ttlMs)).found).toMatchObject({ value: 'new' });
  });

  it('C4: keeps the last of two results, and does not return one of the future', async () => {
    const { clock, get, put } = await openCache();
    await put(key, 'first');
    await put(key, 'second');
    expect(await get(key)).toEqual({ value: 'second', ageMs: 0 });
    clock.now -= 30_000;
    expect(await get(key)).toBeNull();
    await put(key, 'third');
    expect(await get(key)).toEqual({ value: 'third', ageMs: 0 });
  });

  it('stores no result that is too large, and deletes expired ones', async () => {
    const { clock, store, get, put } = await openCache();
    await put(key, 'x'.repeat(500_001));
    expect(await get(key)).toBeNull();
    await put(key, 'small');
    clock.now += 120_000;
    await put({ ...key, input: null }, 'new');
    expect(await store.db.selectFrom('tool_cache').selectAll().execute()).toHaveLength(1);
  });

  it('C5: with encryption values are sealed for their tenant, and one that does not open is a miss', async () => {
    const store = await open();
    const flip = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 7);
    const tenants: (string | null)[] = [];
    const sealer = {
      seal: (bytes: Uint8Array, tenant: string | null) => {
        tenants.push(tenant);
        return flip(bytes);
      },
      open: (bytes: Uint8Array) => ({ bytes: flip(bytes) }),
    };
    const closed = {
      ...sealer,
      open: () => {
        throw new Error('Wrong key.');
      },
    };
    const openWith = (own: typeof sealer | null) => createToolCache(store, () => 1_000_000, own);
    await openWith(sealer).put(key, 'The rent of Ada', { at: 1_000_000, ttlMs });
    const [row] = await store.db.selectFrom('tool_cache').selectAll().execute();
    expect(row?.value).not.toContain('Ada');
    expect(tenants).toEqual(['acme']);
    const find = async (own: typeof sealer | null) => (await openWith(own).get(key, ttlMs)).found;
    expect(await find(sealer)).toEqual({ value: 'The rent of Ada', ageMs: 0 });
    expect([await find(null), await find(closed)]).toEqual([null, null]);
    await openWith(null).put(key, 'plain', { at: 1_000_000, ttlMs });
    expect(await find(sealer)).toMatchObject({ value: 'plain' });
  });

  it("erases a tenant's results", async () => {
    const { get, put, cache } = await openCache();
    await put(key, 'ours');
    await put({ ...key, tenant: null }, 'nobody’s');
    await cache.erase({ namespace: 'default', tenant: 'acme' });
    expect(await get(key)).toBeNull();
    expect(await get({ ...key, tenant: null })).not.toBeNull();
  });
}, alsoOnPostgres);

describeStores((open) => {
  it('C1 C2 C3: several processes at once get no result of another call, no expired one and no part of one', async () => {
    const where = await open.where();
    const printed = await runProcesses(budget(2, 4), new URL('./cache-process.ts', import.meta.url), [
      where,
      String(budget(15, 40)),
    ]);
    const ends = printed.map((each) => JSON.parse(each.replace('ready\n', '')) as Record<string, unknown>);
    const sum = (name: string) => ends.reduce((total, end) => total + Number(end[name]), 0);
    for (const { wrong } of ends) expect(wrong).toEqual([]);
    expect(sum('found')).toBeGreaterThan(0);
    expect(sum('missed')).toBeGreaterThan(0);
  });
}, sharedDatabases);
