/** Streams of chains that the server has forgotten: the archive has the same events with the same ids. */

import { describe, expect, it } from 'vitest';
import { type ChainHandle, connect, type Longhand } from '../../../src/entries/client.js';
import { allPreferencesOn, createViewer, type Viewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { readRuns } from '../../../src/store/archive/archived-runs.js';
import { createPreferenceStore } from '../../../src/store/preferences/preferences.js';
import { withWorker } from '../../support/chain-test.js';
import { deleteRun } from '../../support/reset.js';
import { useFileStore } from '../../support/stores.js';
import { type ReadEvent, readWholeStream } from '../../support/stream-events.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { createTestStreams, type TestStreams } from '../../support/test-streams.js';
import { look, replyWithLook } from '../../support/tools.js';

const file = useFileStore();

const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

const replies = [replyWithLook('key'), replyWithLook('door'), replyWithLook('bell'), { text: 'All is there.' }];

/** Runs a chain of several runs until all are archived. */
async function withArchived(body: (longhand: Longhand, chain: ChainHandle) => Promise<void>): Promise<void> {
  const worker = { store: file.store, continueAfter: { steps: 1 } };
  await withWorker({ agents: [agent], replies, worker }, async ({ taskQueue }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue, store: file.store });
    const chain = await longhand.start(agent, 'See all', { tenant: 'acme', user: 'ana' });
    await chain.result();
    await expect.poll(async () => (await listRuns(chain)).length).toBeGreaterThanOrEqual(4);
    await body(longhand, chain);
    await longhand.close();
  });
}

async function listRuns({ chainId }: ChainHandle): Promise<readonly string[]> {
  const runs = await readRuns(file.store, { namespace: 'default', chainId }).catch(() => null);
  return (runs ?? []).map(({ runId }) => runId);
}

interface Followed {
  readonly streams: TestStreams;
  readonly chain: ChainHandle;
  readonly viewer?: Viewer;
  readonly format?: 'events' | 'reasoning';
}

function open({ streams, chain, viewer = auditor, format = 'events' }: Followed, lastEventId: string | null = null) {
  return streams.open(chain, { viewer, format, lastEventId });
}

const auditor = createViewer('auditor');

async function readAll(followed: Followed): Promise<readonly ReadEvent[]> {
  return readWholeStream(await open(followed));
}

describe('a stream', () => {
  it('has the same events and ids while the server has the chain, when it lacks early runs, and from the archive alone', async () => {
    await withArchived(async (longhand, chain) => {
      const read = async (format: 'events' | 'reasoning') => {
        const streams = createTestStreams(longhand);
        const followed = { streams, chain, format };
        const all = await readAll(followed);
        for (const [at, { id }] of all.slice(0, -1).entries())
          expect(await readWholeStream(await open(followed, id))).toEqual(all.slice(at + 1));
        expect((await open(followed, all.at(-1)?.id)).status).toBe(204);
        await expect(open(followed, `0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.5.0`)).rejects.toMatchObject({
          code: 'invalid_cursor',
        });
        await streams.close();
        return all;
      };
      const formats = ['events', 'reasoning'] as const;
      const onServer = await Promise.all(formats.map(read));
      const [first = '', ...later] = await listRuns(chain);
      await deleteRun(longhand, chain.chainId, first);
      expect(await Promise.all(formats.map(read))).toEqual(onServer);
      for (const runId of later) await deleteRun(longhand, chain.chainId, runId);
      expect(await Promise.all(formats.map(read))).toEqual(onServer);
    });
  });

  it('has the preferences of its user at the time when it was opened', async () => {
    await withArchived(async (longhand, chain) => {
      const preferences = createPreferenceStore(file.store);
      const key = { namespace: 'default', tenant: 'acme', user: 'ana' };
      const streams = createTestStreams(longhand);
      const viewer = createViewer('developer', { tenant: 'acme', user: 'ana' });
      const countThoughts = async () =>
        (await readAll({ streams, chain, viewer })).filter(
          ({ event, data }) => event === 'step-changed' && data.step.kind === 'thinking' && data.step.level === 'full',
        ).length;
      expect(await countThoughts()).toBeGreaterThan(0);
      await preferences.put(key, { ...allPreferencesOn, thinking: false });
      expect(await countThoughts()).toBe(0);
      await preferences.put(key, allPreferencesOn);
      expect(await countThoughts()).toBeGreaterThan(0);
      await streams.close();
    });
  });
});
