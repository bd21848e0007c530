/** Streams of chains on a real server: a client that connects again misses nothing and gets nothing twice. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChainHandle, connect, type Longhand, type WatchEvent } from '../../../src/entries/client.js';
import { allPreferencesOn, createViewer } from '../../../src/entries/view.js';
import { formatPositionId } from '../../../src/gateway/streams/position-id.js';
import type { StreamRequest } from '../../../src/gateway/streams/streams.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { createGate } from '../../support/gate.js';
import { resetToStart } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { type ReadEvent, readStream, readWholeStream } from '../../support/stream-events.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { createTestStreams, type TestStreams } from '../../support/test-streams.js';
import { echo, look, replyWithEcho, replyWithLook } from '../../support/tools.js';

const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, echo] });

const touch = defineTool({
  name: 'touch',
  description: 'Touches a thing',
  inputSchema: z.object({ place: z.string() }),
  effects: 'unsafe',
  execute: ({ place }) => `touched ${place}`,
});

const careful = defineAgent({ name: 'careful', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, touch] });

const replies: readonly ScriptedReply[] = [replyWithLook('key'), replyWithLook('door'), { text: 'All is there.' }];

const open = async (streams: TestStreams, chain: ChainHandle, more: Partial<StreamRequest> = {}) =>
  streams.open(chain, more);

const idsOf = (events: readonly ReadEvent[]) => events.map(({ id }) => id);

async function watchAll(chain: ChainHandle): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of chain.watch(createViewer('developer'))) events.push(event);
  return events;
}

/** Expects each id of a chain that has ended to be followed by exactly the rest. */
async function expectSuffixes(streams: TestStreams, chain: ChainHandle, more: Partial<StreamRequest> = {}) {
  const all = await readWholeStream(await open(streams, chain, more));
  expect(new Set(idsOf(all)).size).toBe(all.length);
  for (const [at, { id = null }] of all.slice(0, -1).entries()) {
    const rest = await open(streams, chain, { ...more, lastEventId: id });
    expect(await readWholeStream(rest)).toEqual(all.slice(at + 1));
  }
  const ended = await open(streams, chain, { ...more, lastEventId: all.at(-1)?.id ?? null });
  expect([ended.status, await ended.text()]).toEqual([204, '']);
  return all;
}

async function withStreams<T>(longhand: Longhand, body: (streams: TestStreams) => Promise<T>): Promise<T> {
  const streams = createTestStreams(longhand);
  try {
    return await body(streams);
  } finally {
    await streams.close();
  }
}

describe('a stream', () => {
  it('continues from each event with exactly the rest, at this gateway and at another one', async () => {
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all');
      await withStreams(longhand, async (streams) => {
        const live = await readWholeStream(await open(streams, chain));
        const watched = await watchAll(chain);
        expect(idsOf(live)).toEqual(watched.map(formatPositionId));
        expect(live.map(({ event }) => event)).toEqual(watched.map(({ type }) => type));
        expect(live.at(-1)).toMatchObject({ event: 'view-completed', data: { view: { answer: 'All is there.' } } });
        const again = await expectSuffixes(streams, chain);
        expect(idsOf(again)).toEqual(idsOf(live));
      });
      const other = await connect({ address: getTemporalAddress(), store: null });
      await withStreams(other, async (streams) => {
        // Its log keeps nothing: each follower replays.
        await expectSuffixes(streams, chain);
        const small = createTestStreams(other, { maxLogBytes: 0, maxBytes: 0 });
        await expectSuffixes(small, chain);
        await small.close();
      });
      await other.close();
    });
  });

  it('continues from each event of a chain of many runs', async () => {
    const worker = { continueAfter: { steps: 1 } };
    await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all');
      await chain.result();
      for (const format of ['events', 'reasoning'] as const) {
        await withStreams(longhand, async (streams) => {
          const all = await expectSuffixes(streams, chain, { format });
          const runs = new Set(all.map(({ id }) => id?.split('.')[0]));
          expect(runs.size).toBeGreaterThanOrEqual(3);
        });
      }
    });
  });

  it('starts late, in the middle of a chain, with all events so far', async () => {
    const script = [replyWithLook('key'), { calls: [{ name: 'touch', input: { place: 'door' } }] }, { text: 'Done.' }];
    await withWorker({ agents: [careful], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(careful, 'Touch it');
      await withStreams(longhand, async (streams) => {
        const first = readWholeStream(await open(streams, chain));
        await expect.poll(async () => (await chain.describe()).doing).toContain('approval');
        const others = [1, 2, 3].map(async () => readWholeStream(await open(streams, chain)));
        await expect.poll(() => streams.count()).toBe(4);
        await chain.approve('2.1', { by: 'Ada' });
        const [events, ...late] = await Promise.all([first, ...others]);
        for (const other of late) expect(other).toEqual(events);
        expect(idsOf(events ?? [])).toEqual((await watchAll(chain)).map(formatPositionId));
        await expect.poll(() => streams.count()).toBe(0);
      });
    });
  });

  it('is shared by all users of a tenant with equal preferences, and by nobody else', async () => {
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all', { tenant: 'acme' });
      await chain.result();
      let watches = 0;
      const counted: ChainHandle = {
        ...chain,
        watch: (...watched) => {
          watches += 1;
          return chain.watch(...watched);
        },
      };
      await withStreams(longhand, async (streams) => {
        const read = async (...[role, viewer]: Parameters<typeof createViewer>) =>
          readWholeStream(await open(streams, counted, { viewer: createViewer(role, viewer) }));
        const users = await Promise.all(
          ['ana', 'bob', 'eve'].map((user) => read('end_user', { tenant: 'acme', user })),
        );
        expect(watches).toBe(1);
        for (const events of users) expect(events).toEqual(users[0]);
        await read('developer', { tenant: 'acme', user: 'ana' });
        await read('end_user', { tenant: 'other', user: 'ana' });
        const preferences = { ...allPreferencesOn, thinking: false };
        await read('end_user', { tenant: 'acme', user: 'ana', preferences });
        expect(watches).toBe(4);
      });
    });
  });

  it('rejects an id that is no place of its chain, also one of an earlier chain with the same id', async () => {
    await withWorker({ agents: [agent], replies: [...replies, ...replies, ...replies] }, async ({ longhand }) => {
      const chainId = `reused-${randomUUID()}`;
      const earlier = await longhand.start(agent, 'See all', { chainId });
      await earlier.result();
      await withStreams(longhand, async (streams) => {
        const old = await readWholeStream(await open(streams, earlier));
        const other = await longhand.start(agent, 'See all');
        await other.result();
        const handle = await startAgain(longhand, chainId);
        await handle.result();
        const ids = [
          old[1]?.id ?? '',
          (await readWholeStream(await open(streams, other)))[1]?.id ?? '',
          `${randomUUID()}.5.0`,
          'x',
          '',
        ];
        for (const lastEventId of ids) {
          await expect(open(streams, handle, { lastEventId })).rejects.toMatchObject({ code: 'invalid_cursor' });
        }
        const fresh = await readWholeStream(await open(streams, handle));
        expect(fresh).toHaveLength(old.length);
        expect(idsOf(fresh)).not.toContain(old[0]?.id);
        await expect(open(streams, longhand.getHandle('missing'))).rejects.toMatchObject({ code: 'chain_not_found' });
        expect(streams.count()).toBe(0);
      });
    });
  });

  it('of a chain that was reset has the new history, and no id of the discarded run', async () => {
    await withWorker({ agents: [agent], replies: [...replies, ...replies] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all');
      await chain.result();
      await withStreams(longhand, async (streams) => {
        const old = await readWholeStream(await open(streams, chain));
        const runId = await resetToStart(longhand, chain.chainId);
        const fresh = await readWholeStream(await open(streams, chain));
        expect(idsOf(fresh).every((id) => id?.startsWith(runId))).toBe(true);
        expect(fresh.at(-1)).toMatchObject({ event: 'view-completed', data: { view: { answer: 'All is there.' } } });
        const lastEventId = old.at(-1)?.id ?? null;
        await expect(open(streams, chain, { lastEventId })).rejects.toMatchObject({ code: 'invalid_cursor' });
      });
    });
  });

  it('is handed over when its gateway closes, and continues at another one without a gap', async () => {
    const hang: ScriptedReply = { hang: true, afterEvents: 1 };
    await withWorker({ agents: [agent], replies: [replyWithLook('key'), hang] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all');
      const [one, other] = [createTestStreams(longhand), createTestStreams(longhand)];
      const reading = readWholeStream(await open(one, chain));
      await expect.poll(async () => (await chain.describe()).steps).toBe(1);
      await one.close();
      expect(one.count()).toBe(0);
      const before = await reading;
      expect(before.at(-1)).toEqual({ id: undefined, event: 'closing', data: { code: 'closing' } });
      const lastEventId = before.at(-2)?.id ?? null;
      const rest = readWholeStream(await open(other, chain, { lastEventId }));
      // A gateway that is closing hands over at once, with a status at which clients connect again.
      expect((await readWholeStream(await open(one, chain))).map(({ event }) => event)).toEqual(['closing']);
      await chain.cancel({ by: 'Ada' });
      const ids = [...idsOf(before.slice(0, -1)), ...idsOf(await rest)];
      expect(ids).toEqual((await watchAll(chain)).map(formatPositionId));
      await other.close();
    });
  });

  it('that waits for its place when its gateway closes is handed over as well', async () => {
    const hang: ScriptedReply = { hang: true, afterEvents: 1 };
    await withWorker({ agents: [agent], replies: [replyWithLook('key'), hang] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'See all');
      await expect.poll(async () => (await chain.describe()).steps).toBe(1);
      const streams = createTestStreams(longhand);
      // Another gateway has read further than this one.
      const opening = open(streams, chain, { lastEventId: `${(await chain.describe()).runId}.900.0` });
      const first = await open(streams, chain);
      await first.body?.cancel();
      await streams.close();
      expect((await readWholeStream(await opening)).map(({ event }) => event)).toEqual(['closing']);
      await chain.cancel({ by: 'Ada' });
    });
  });

  it('has tokens without ids, each once by its offset, and no text of a model is more than data', async () => {
    const hostile = 'a\n\nevent: x\ndata: {}\r\rid: 9\u2028\u2029\u0085retry: 1\n\n:';
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const isRead = createGate();
    const reply: ScriptedReply = {
      ...{ text: hostile.repeat(3), chunkDelayMs: 20 },
      ...{ waitsFor: whenSubscribed(1), pausesAfter: { events: 8, until: isRead.opened } },
    };
    await withWorker({ agents: [agent], replies: [reply], worker: { tokens } }, async ({ taskQueue }) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue, tokens, store: null });
      await withStreams(longhand, async (streams) => {
        const chain = await longhand.start(agent, hostile);
        const more = { viewer: createViewer('auditor'), tokens: true };
        const first = readWholeStream(await open(streams, chain, more));
        const pieces: ReadEvent[] = [];
        let lastId: string | null = null;
        // A client that connects again after each event.
        for (let ended = false; !ended; ) {
          const response: Response = await open(streams, chain, { ...more, lastEventId: lastId });
          for await (const event of readStream(response)) {
            lastId = event.id ?? lastId;
            if (event.event === 'token') pieces.push(event);
            if (pieces.length > 0) isRead.open();
            ended = event.event === 'view-completed';
            if (event.event !== 'token' || pieces.length % 3 === 0) break;
          }
        }
        const events = await first;
        const known = new Set(['view-opened', 'step-changed', 'token', 'view-completed']);
        for (const { id, event } of events) {
          expect(known).toContain(event);
          expect(id === undefined).toBe(event === 'token');
        }
        const whole = hostile.repeat(3);
        for (const got of [pieces, events.filter(({ event }) => event === 'token')]) {
          expect(got.length).toBeGreaterThan(0);
          for (const { data } of got)
            expect(whole.slice(data.offset)).toSatisfy((rest: string) => rest.startsWith(data.text));
        }
        expect(events.at(-1)?.data.view.answer).toBe(whole);
      });
      await longhand.close();
    });
  });

  it('drops a client that does not read, with a reason, and serves the others', async () => {
    const long = 'x'.repeat(20_000);
    const script = [...Array.from({ length: 8 }, () => replyWithEcho(long)), { text: 'Done.' }];
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const dropped: string[] = [];
      const limits = { stalledMs: 3_000, maxBufferedBytes: 10_000, maxLogBytes: 30_000 };
      const streams = createTestStreams(longhand, limits);
      const chain = await longhand.start(agent, 'Echo');
      const stalled = await open(streams, chain, { onDropped: (reason) => dropped.push(reason) });
      const all = await readWholeStream(await open(streams, chain));
      expect(idsOf(all)).toEqual((await watchAll(chain)).map(formatPositionId));
      await expect.poll(() => dropped).toEqual(['stalled']);
      expect((await readWholeStream(stalled)).map(({ event }) => event)).toEqual(['dropped']);
      await streams.close();
    });
  });
});

/** Starts another chain with the id of one that has ended. */
async function startAgain(longhand: Longhand, chainId: string): Promise<ChainHandle> {
  const { client } = longhand;
  const handle = client.workflow.getHandle(chainId);
  const { type, taskQueue } = await handle.describe();
  await client.workflow.start(type, {
    ...{ workflowId: chainId, taskQueue, workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
    args: [{ agent: agent.name, task: 'See all again' }],
  });
  return longhand.getHandle(chainId);
}
