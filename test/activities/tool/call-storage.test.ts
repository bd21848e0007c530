/** Scopes of memories: an empty name of a user or a tenant counts as no name, so that nobody shares a scope by it. */

import { expect, it } from 'vitest';
import { createCallStorage } from '../../../src/activities/tool/call-storage.js';
import type { Chain } from '../../../src/core/model/chain.js';
import { createMemoryStore } from '../../../src/store/memory/memory-store.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();

const memoryOf = (tenant: string | null, user: string | null) =>
  createCallStorage(
    { store: stored.store, blobs: null },
    {
      ...{ namespace: 'default', chainId: 'chain-1', agent: 'assistant', requester: { tenant, user } },
      input: {
        agent: 'assistant',
        input: {},
        step: 1,
        maxObservationTokens: 1_000,
        firstRunId: 'A',
        retryApproved: false,
      },
      chain: async () => ({ state: { startedAt: 1_000 } }) as Chain,
    },
  ).memory!;

const memory = { key: 'contact', text: 'Eve', ttlMs: 86_400_000, most: 3 };

it.each([null, ''])('the user %j has no memory of its own', async (user) => {
  for (const tenant of ['acme', '', null]) {
    const own = memoryOf(tenant, user);
    await expect(own.put('user', memory)).rejects.toThrow('This chain has no user');
    await expect(own.list('user')).rejects.toThrow('This chain has no user');
  }
  expect(await createMemoryStore(stored.store).find({ namespace: 'default' })).toEqual([]);
});

it('an empty tenant counts as no tenant', async () => {
  await memoryOf('', 'ada').put('user', memory);
  expect(await createMemoryStore(stored.store).find({ namespace: 'default' })).toMatchObject([
    { tenant: null, owner: 'ada', key: 'contact' },
  ]);
  expect(await memoryOf(null, 'ada').list('user')).toMatchObject([{ key: 'contact' }]);
  expect(await memoryOf('acme', 'ada').list('user')).toEqual([]);
});
