/** Workers archive ended runs, and sweeps archive missed ones: once, complete, and without delaying chains. */

import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { expect, it } from 'vitest';
import type { Archive } from '../../../src/activities/context/dependencies.js';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain, toChainFile } from '../../../src/client/read/recorded-chain.js';
import { chainFormat, chainVersion, findDefinition } from '../../../src/core/record/chain-file.js';
import { verifyFile } from '../../../src/core/record/verify-file.js';
import { defineAgent } from '../../../src/index.js';
import { readRuns } from '../../../src/store/archive/archived-runs.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import { sweep } from '../../../src/worker/sweep.js';
import { archiveIn } from '../../support/archived.js';
import { withWorker } from '../../support/chain-test.js';
import { createEnvironmentConverter } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

useOwnServer();

const file = useFileStore();

const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

const done: ScriptedReply = { text: 'All is there.' };

const readArchived = (chainId: string) => readRuns(file.store, { namespace: 'default', chainId });

async function isProven(chainId: string): Promise<boolean> {
  const runs = (await readArchived(chainId)) ?? [];
  const { chains } = await queryArchive(file.store, { namespace: 'default', idPrefix: chainId });
  const about = { format: chainFormat, version: chainVersion, chainId, definition: findDefinition(runs) } as const;
  return verifyFile({ ...about, runs, digest: chains[0]?.head ?? '' }).divergence === null;
}

it('a worker archives an ended chain as it is on the server', async () => {
  await withWorker(
    { agents: [agent], replies: [replyWithLook('key'), replyWithLook('door'), done], worker: { store: file.store } },
    async (test) => {
      const chain = await test.longhand.start(agent, 'See what is there', { tenant: 'acme', user: 'ada' });
      await chain.result();
      await expect.poll(() => readArchived(chain.chainId)).not.toBeNull();
      const recorded = await readRecordedChain(await resolveChainSource(test.longhand.client, chain.chainId));
      expect(await readArchived(chain.chainId)).toEqual(toChainFile(recorded).runs);
      expect(await isProven(chain.chainId)).toBe(true);
      const { chains } = await queryArchive(file.store, {
        namespace: 'default',
        tenant: 'acme',
        text: 'something door',
      });
      expect(chains).toMatchObject([
        { chainId: chain.chainId, agent: 'looker', user: 'ada', outcome: 'success', status: 'ended', steps: 3 },
      ]);
    },
  );
});

it('a worker archives each run of a chain that continues as new', async () => {
  const replies = [...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(replyWithLook), done];
  const worker = { store: file.store, continueAfter: { steps: 3 } };
  await withWorker({ agents: [agent], replies, worker }, async (test) => {
    const chain = await test.longhand.start(agent, 'See all that is there');
    await chain.result();
    await expect.poll(async () => (await readArchived(chain.chainId).catch(() => null))?.length).toBe(3);
    const recorded = await readRecordedChain(await resolveChainSource(test.longhand.client, chain.chainId));
    expect(await readArchived(chain.chainId)).toEqual(toChainFile(recorded).runs);
    expect(await isProven(chain.chainId)).toBe(true);
  });
});

async function sweepAll(archive: Partial<Archive> = {}) {
  const connection = await Connection.connect({ address: getTemporalAddress() });
  try {
    const { workflow } = new Client({ connection });
    return await sweep({
      archive: archiveIn(file.store, { converter: loadDataConverter(createEnvironmentConverter()), ...archive }),
      history: { service: connection.workflowService, namespace: 'default' },
      list: (query) => workflow.list({ query, pageSize: 100 }),
      all: true,
    });
  } finally {
    await connection.close();
  }
}

it('a sweep archives a chain of a worker without a store and a terminated chain', async () => {
  const chainId = `lost-${randomUUID()}`;
  await withWorker(
    { agents: [agent], replies: [replyWithLook('key'), done, replyWithLook('bell'), { hang: true }] },
    async (test) => {
      const ended = await test.longhand.start(agent, 'See', { chainId });
      await ended.result();
      const stopped = await test.longhand.start(agent, 'Wait');
      await expect.poll(() => test.models.requests.length).toBe(4);
      await test.longhand.client.workflow.getHandle(stopped.chainId).terminate('enough');
      await expect
        .poll(async () => {
          await sweepAll();
          return (await readArchived(stopped.chainId)) !== null && (await readArchived(chainId)) !== null;
        })
        .toBe(true);
      expect(await isProven(chainId)).toBe(true);
      const { chains } = await queryArchive(file.store, { namespace: 'default', idPrefix: stopped.chainId });
      expect(chains).toMatchObject([{ outcome: 'terminated', steps: 1 }]);
      // An archived run is not archived again.
      expect((await sweepAll())?.archived).toBe(0);
    },
  );
});

it('a sweep does not archive a run whose retention has ended', async () => {
  await withWorker(
    { agents: [agent], replies: [done], worker: { store: file.store, retention: [{ days: 0 }] } },
    async (test) => {
      const chain = await test.longhand.start(agent, 'See');
      await chain.result();
      await test.worker.stop();
      expect((await sweepAll({ retention: [{ days: 0 }] }))?.failed).toEqual([]);
      expect(await readArchived(chain.chainId)).toBeNull();
    },
  );
});
