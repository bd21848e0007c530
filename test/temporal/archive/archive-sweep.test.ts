/**
 * Several sweeps of the same runs at a time, a store that fails for a while, and clocks that jump: each run is archived once,
 * none is missed, and no chain waits.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { loopback } from '../../../src/cli/server/ports.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/entries/store.js';
import { defineAgent } from '../../../src/index.js';
import { createSweep, expectArchived, expectNoneTwice, waitForClosed } from '../../support/archive-proof.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { startPostgres } from '../../support/postgres.js';
import { describeStores, freshFile, sharedDatabases } from '../../support/stores.js';
import { useOwnServer } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

useOwnServer();

const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

/** Returns an agent and its replies: a chain looks this number of times, and answers. */
const createLooker = (times: number): Pick<ChainTestOptions, 'agents' | 'replies'> => ({
  agents: [agent],
  replies: ({ body: { messages } }) => {
    const replied = messages.filter(({ role }) => role === 'assistant').length;
    if (replied >= times) return { text: 'All is there.' };
    return replyWithLook(replied);
  },
});

/** Runs this number of chains to their ends, and returns their ids. */
async function runChains({ longhand }: ChainTest, count: number): Promise<readonly string[]> {
  const chains = await Promise.all(Array.from({ length: count }, () => longhand.start(agent, 'See what is there')));
  for (const chain of chains) expect((await chain.result()).outcome).toBe('success');
  return chains.map(({ chainId }) => chainId);
}

async function countRuns({ db }: Store): Promise<number> {
  return (await db.selectFrom('archive_runs').select('id').execute()).length;
}

describeStores((open) => {
  it('two workers and three sweeps at a time archive each run once', async () => {
    const where = await open.where();
    const store = await open();
    const worker = { store: where, continueAfter: { steps: 2 } };
    await withWorker({ ...createLooker(3), worker }, async (test) => {
      await test.startWorker({ sweepInterval: 50 });
      const { client } = test.longhand;
      const sweep = createSweep(client, store, test.taskQueue);
      const sweeps: Promise<unknown>[] = [];
      const chains = await Promise.all(Array.from({ length: 8 }, () => test.longhand.start(agent, 'See')));
      for (const chain of chains) {
        await chain.result();
        sweeps.push(sweep({ all: true }));
      }
      await waitForClosed(client, test.taskQueue, 2 * chains.length);
      sweeps.push(...[1, 2, 3].map(() => sweep({ all: true })));
      await Promise.all(sweeps);
      const mine = chains.map(({ chainId }) => chainId);
      for (const id of mine) await expectArchived(store, client, id);
      await expectNoneTwice(store, mine);
    });
  });
}, sharedDatabases);

it('a sweep misses no run when its clock is wrong for a while', async () => {
  const { where, remove } = await freshFile();
  const store = await openStore(where);
  await withWorker(createLooker(0), async (test) => {
    const { client } = test.longhand;
    const sweep = createSweep(client, store, test.taskQueue);
    const day = 86_400_000;
    let closed = 0;
    const more = async () => {
      const ids = await runChains(test, 2);
      closed += ids.length;
      await waitForClosed(client, test.taskQueue, closed);
      return ids;
    };
    const at = (offset: number) => sweep({ now: () => Date.now() + offset });
    const ids = [...(await more())];
    // By this clock, the retention of all runs ended long ago.
    expect(await at(400 * day)).toMatchObject({ archived: 2, pruned: 0, failed: [] });
    ids.push(...(await more()));
    expect(await at(0)).toMatchObject({ archived: 2, failed: [] });
    ids.push(...(await more()));
    expect(await at(-400 * day)).toMatchObject({ archived: 2, failed: [] });
    ids.push(...(await more()));
    // The clock is ahead during a sweep, and right again much later: runs that closed in between are found.
    expect(await at(day)).toMatchObject({ archived: 2, pruned: 0 });
    ids.push(...(await more()));
    expect(await at(2 * day)).toMatchObject({ archived: 2, pruned: 0 });
    for (const id of ids) await expectArchived(store, client, id);
    await expectNoneTwice(store, ids);
  });
  await store.close();
  await remove();
});

/** A server that accepts connections and sends nothing, like one behind a broken network. */
async function startSilentServer(port: number): Promise<() => Promise<void>> {
  const server = createServer().listen(port, loopback);
  const open = new Set<{ destroy: () => void }>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
  });
  await once(server, 'listening');
  return async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  };
}

it.each(['refuses', 'is silent'] as const)('chains do not wait for a store that %s', async (how) => {
  const server = await startPostgres();
  await server.stop();
  const stopSilentServer = how === 'is silent' ? await startSilentServer(server.port) : async () => {};
  try {
    await withWorker({ ...createLooker(4), worker: { continueAfter: { steps: 2 }, store: null } }, async (test) => {
      const timed = async () => {
        const began = performance.now();
        const ids = await runChains(test, 4);
        return { ids, ms: performance.now() - began };
      };
      await timed();
      const without = await timed();
      await test.worker.stop();
      await test.startWorker({ store: server.url });
      await timed();
      const during = await timed();
      // An attempt to connect takes 5 s: a chain that waited for one would take longer.
      expect(during.ms).toBeLessThan(2 * without.ms + 4_000);
      await stopSilentServer();
      const again = await startPostgres(server);
      const store = await openStore(server.url);
      await waitForClosed(test.longhand.client, test.taskQueue, 4 * 4 * 3);
      expect((await createSweep(test.longhand.client, store, test.taskQueue)({ all: true }))?.failed).toEqual([]);
      expect(await countRuns(store)).toBe(4 * 4 * 3);
      for (const id of during.ids) await expectArchived(store, test.longhand.client, id);
      await store.close();
      await again.stop();
    });
  } finally {
    await stopSilentServer().catch(() => {});
    await server.remove();
  }
});
