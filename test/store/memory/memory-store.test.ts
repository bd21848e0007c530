/** M1 to M3 of memories, on every database. */

import { describe, expect, it } from 'vitest';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { createMemoryStore, eraseMemories, type MemoryScope } from '../../../src/store/memory/memory-store.js';
import { alsoOnPostgres, describeStores, sharedInEveryForm } from '../../support/stores.js';

const acme: MemoryScope = { namespace: 'default', tenant: 'acme', agent: 'assistant', owner: null };
const chain = { chainId: 'chain-1', user: 'ada', startedAt: 1_000 };
const day = 86_400_000;
const memory = (key: string, text = `text of ${key}`) => ({ key, text, ttlMs: day, most: 3, chain });

describeStores((open) => {
  it('M1: a memory is recalled only by its tenant, agent and owner', async () => {
    const memories = createMemoryStore(await open());
    await memories.put(acme, memory('contact'));
    const others: readonly Partial<MemoryScope>[] = [
      ...[{ tenant: 'other' }, { tenant: null }, { agent: 'else' }, { owner: 'ada' }, { namespace: 'else' }],
    ];
    for (const other of others) {
      expect(await memories.get({ ...acme, ...other }, 'contact')).toBeNull();
      expect(await memories.list({ ...acme, ...other })).toEqual([]);
      expect(await memories.forget({ ...acme, ...other }, 'contact')).toBe(false);
    }
    expect(await memories.get(acme, 'contact')).toMatchObject({ text: 'text of contact' });
  });

  it('a text expires, and makes room', async () => {
    let now = 5_000;
    const memories = createMemoryStore(await open(), () => now);
    for (const key of ['a', 'b', 'c']) expect(await memories.put(acme, memory(key))).toBe('stored');
    expect(await memories.put(acme, memory('d'))).toBe('full');
    expect(await memories.put(acme, memory('a', 'changed'))).toBe('stored');
    now += day;
    expect(await memories.list(acme)).toEqual([]);
    expect(await memories.find({ namespace: 'default' })).toEqual([]);
    expect(await memories.put(acme, memory('d'))).toBe('stored');
    expect((await memories.list(acme)).map(({ key }) => key)).toEqual(['d']);
  });

  it('the newest texts are first, and a filter erases what it finds', async () => {
    let now = 5_000;
    const memories = createMemoryStore(await open(), () => now++);
    for (const key of ['a', 'b']) await memories.put(acme, memory(key));
    await memories.put({ ...acme, owner: 'ben' }, memory('c'));
    expect((await memories.list(acme)).map(({ key }) => key)).toEqual(['b', 'a']);
    const found = await memories.find({ namespace: 'default', tenant: 'acme', user: 'ben' });
    expect(found).toMatchObject([{ key: 'c', owner: 'ben', chainId: 'chain-1', user: 'ada' }]);
    expect(await memories.erase({ namespace: 'default', key: 'a' })).toBe(1);
    expect(await memories.erase({ namespace: 'default', tenant: null })).toBe(0);
    expect(await memories.erase({ namespace: 'default', tenant: 'acme' })).toBe(2);
  });

  it.each([
    ['the chain', { chainId: 'chain-1' }, ['kept']],
    ['the person', { user: 'ada' }, []],
    ['the tenant', { tenant: 'acme' }, []],
  ] as const)('M3: erasing %s erases its memories, and it writes none afterwards', async (_what, target, left) => {
    const store = await open();
    const memories = createMemoryStore(store);
    await memories.put(acme, memory('gone'));
    await memories.put({ ...acme, owner: 'ada' }, { ...memory('kept'), chain: { ...chain, chainId: 'chain-2' } });
    await eraseChains(store, target, {
      ...{ namespace: 'default', by: 'ops', now: 2_000 },
      also: (tx) => eraseMemories(tx, 'default', target),
    });
    expect((await memories.find({ namespace: 'default' })).map(({ key }) => key)).toEqual(left);
    expect(await memories.put(acme, memory('again'))).toBe('erased');
    expect(await memories.put(acme, { ...memory('later'), chain: { ...chain, startedAt: 3_000 } })).toBe('stored');
  });
}, alsoOnPostgres);

describe('several processes', () => {
  describeStores((open) => {
    it('M2: writers of one scope keep its limit, and one text of each key', async () => {
      const [one, two] = [createMemoryStore(await open()), createMemoryStore(await open())];
      const writes = ['a', 'b', 'c', 'd', 'e', 'a'].flatMap((key) => [
        one.put(acme, memory(key, 'one')),
        two.put(acme, memory(key, 'two')),
      ]);
      const results = await Promise.all(writes);
      expect(results.filter((result) => result === 'full').length).toBeGreaterThanOrEqual(4);
      const kept = await one.list(acme);
      expect(kept).toHaveLength(3);
      expect(new Set(kept.map(({ key }) => key)).size).toBe(3);
    });
  }, sharedInEveryForm);
});
