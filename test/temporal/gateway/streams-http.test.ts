/** Streams through a gateway's server: what clients on real connections get, and what they leave behind. */

import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Longhand } from '../../../src/entries/client.js';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.js';
import { serveGateway } from '../../../src/gateway/serve.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createGate } from '../../support/gate.js';
import { withGateway } from '../../support/gateway.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { type ReadEvent, readStream, readWholeStream } from '../../support/stream-events.js';
import { echo, replyWithEcho } from '../../support/tools.js';

const below = defineAgent({
  ...{ name: 'below', model: 'claude-sonnet-5-5', strategy: 'tools', description: 'Looks deeper', tools: [echo] },
});
const agent = defineAgent({ name: 'echoer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [echo, below] });

const message = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const hang: ScriptedReply = { hang: true, afterEvents: 1 };

async function withServer(longhand: Longhand, body: (url: string, gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = await createGateway({ longhand, store: null });
  const server = await serveGateway(gateway, { port: 0 });
  try {
    await body(`${server.url}/v1/chains`, gateway);
  } finally {
    await server.close();
  }
}

function connectTo(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get(url, { agent: false }, resolve).on('error', reject));
}

describe('a stream of a gateway', () => {
  it('ends with the status 204 for a client that has all, and with a problem for an id that is no place', async () => {
    await withWorker({ agents: [agent], replies: [replyWithEcho('a'), { text: 'Done.' }] }, async ({ longhand }) => {
      const { chainId } = await longhand.start(agent, 'Echo');
      await withServer(longhand, async (url) => {
        for (const format of ['events', 'reasoning']) {
          const response = await fetch(`${url}/${chainId}/${format}`);
          const all = await readWholeStream(response);
          expect(all.at(-1)?.event).toBe('view-completed');
          const again = (id: string | undefined) =>
            fetch(`${url}/${chainId}/${format}`, { headers: { 'last-event-id': id ?? '' } });
          expect((await again(all.at(-1)?.id)).status).toBe(204);
          expect(await readWholeStream(await again(all[0]?.id))).toEqual(all.slice(1));
          const rejected = await again('0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.1.0');
          expect([rejected.status, await rejected.json()]).toMatchObject([400, { code: 'invalid_cursor' }]);
        }
      });
    });
  });

  it('holds nothing of clients that have gone', async () => {
    const script = [replyWithEcho('x'.repeat(30_000)), hang];
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Echo');
      await withServer(longhand, async (url, gateway) => {
        const address = `${url}/${chain.chainId}/events`;
        const clients = await Promise.all(Array.from({ length: 30 }, () => connectTo(address)));
        const silent = clients.map((client) => client.pause());
        expect(gateway.countStreams()).toBe(30);
        for (const client of silent) client.destroy();
        await expect.poll(() => gateway.countStreams()).toBe(0);
        await chain.cancel({ by: 'Ada' });
      });
    });
  });

  it('of a chat is counted like those of chains', async () => {
    await withWorker({ agents: [agent], replies: [hang] }, async ({ longhand }) => {
      await withGateway({ longhand }, async ({ url, connect }) => {
        const leaving = new AbortController();
        const response = await fetch(`${url}/v1/chat/echoer`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: randomUUID(), messages: [message], trigger: 'submit-message' }),
          signal: leaving.signal,
        });
        expect(response.status).toBe(200);
        const count = async () => /longhand_gateway_streams \d+/.exec(await connect().getMetrics())?.[0];
        expect(await count()).toBe('longhand_gateway_streams 1');
        leaving.abort();
        await expect.poll(count).toBe('longhand_gateway_streams 0');
      });
    });
  });

  it('that fails is counted, and the log has its error and its chain', async () => {
    const logTo = { lines: [] as string[] };
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Echo');
      await chain.result();
      const failing: Longhand = {
        ...longhand,
        getHandle: (chainId) => ({
          ...longhand.getHandle(chainId),
          // biome-ignore lint/correctness/useYield: it fails before its first event.
          watch: async function* () {
            throw new Error('The history is gone.');
          },
        }),
      };
      await withGateway({ longhand: failing, logTo }, async ({ url, connect }) => {
        const events = await readWholeStream(await fetch(`${url}/v1/chains/${chain.chainId}/events`));
        expect(events).toEqual([{ id: undefined, event: 'dropped', data: { code: 'failed' } }]);
        expect(logTo.lines.join()).toContain('The history is gone.');
        expect(logTo.lines.join()).toContain(chain.chainId);
        expect(await connect().getMetrics()).toContain('longhand_gateway_streams_dropped_total{reason="failed"} 1');
      });
    });
  });

  it('has the start and the end of a sub-chain with ids, and its progress without', async () => {
    // The sub-chain continues when its progress has been read.
    const isRead = createGate();
    const script = [
      { text: 'Deeper.', calls: [{ name: 'below', input: { task: 'Look deeper' } }] },
      replyWithEcho('b'),
      { text: 'A cellar.', waitsFor: isRead.opened },
      { text: 'Done.' },
    ];
    await withWorker({ agents: [agent, below], replies: script }, async ({ longhand }) => {
      const { chainId } = await longhand.start(agent, 'Look');
      await withServer(longhand, async (url) => {
        const followed: ReadEvent[] = [];
        for await (const event of readStream(await fetch(`${url}/${chainId}/events?children=1`))) {
          followed.push(event);
          if (event.event === 'sub-chain-changed' && event.data.provisional) isRead.open();
        }
        const changes = followed.filter(({ event }) => event === 'sub-chain-changed');
        for (const { id, data } of changes) expect(id === undefined).toBe(data.provisional === true);
        expect(changes.filter(({ data }) => data.provisional).length).toBeGreaterThan(0);
        const recorded = followed.flatMap(({ id }) => id ?? []);
        const plain = await readWholeStream(await fetch(`${url}/${chainId}/events`));
        expect(plain.map(({ id }) => id)).toEqual(recorded);
      });
    });
  });
});
