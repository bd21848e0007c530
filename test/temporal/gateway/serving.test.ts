/** A gateway in servers of others, its limits, and its end. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { createHttpClient } from '../../../src/entries/http.js';
import { createGateway } from '../../../src/gateway/create-gateway.js';
import type { Authenticate } from '../../../src/gateway/identity/authenticate.js';
import { localIdentity } from '../../../src/gateway/identity/local.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { startGateway, withGateway } from '../../support/gateway.js';
import { createKey } from '../../support/gateway-keys.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

const file = useFileStore();
const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

/** A server of an application. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, close };
}

describe('a gateway in the server of an application', () => {
  it('answers below its path in Hono, as a route handler, and in a server of Node', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand }) => {
      const authentication = { allowUnknownPeer: true };
      const gateway = await createGateway({ longhand, store: null, basePath: '/agents', authentication });
      const chain = await longhand.start(agent, 'Look.');
      await chain.result();
      const path = `/agents/v1/chains/${chain.chainId}/result`;
      const hono = new Hono().all('/agents/*', (c) => gateway.fetch(c.req.raw, c.env));
      const { url, close } = await serve(getRequestListener(gateway.fetch, { overrideGlobalObjects: false }));
      const answers = await Promise.all([
        hono.request(`http://localhost${path}`),
        gateway.fetch(new Request(`http://localhost${path}`)),
        fetch(`${url}${path}`),
      ]);
      for (const answer of answers) expect(await answer.json()).toMatchObject({ status: 'ended', answer: 'Done.' });
      const outside = await gateway.fetch(new Request(`http://localhost/v1/chains/${chain.chainId}/result`));
      expect(outside.status).toBe(404);
      await close();
      await gateway.close();
      // The client of the application stays open.
      expect((await longhand.getHandle(chain.chainId).describe()).status).toBe('ended');
    });
  });

  it('serves nothing without authentication where the application does not pass the connection', async () => {
    await withWorker({ agents: [agent], replies: [] }, async ({ longhand }) => {
      const gateway = await createGateway({ longhand, store: null, basePath: '/agents' });
      const app = new Hono()
        .all('/agents/*', (c) => gateway.fetch(c.req.raw, c.env))
        .all('/hidden/*', (c) => gateway.fetch(new Request(c.req.url.replace('/hidden/', '/agents/'), c.req.raw)));
      const { url, close } = await serve(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
      expect((await fetch(`${url}/agents/v1/chains`)).status).toBe(200);
      const rejected = await fetch(`${url}/hidden/v1/chains`);
      expect([rejected.status, await rejected.json()]).toMatchObject([403, { code: 'host_rejected' }]);
      await close();
      await gateway.close();
    });
  });

  it('answers behind a path that the application removes, as Express and the mount of Hono do', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand }) => {
      const gateway = await createGateway({ longhand, store: null });
      const listener = getRequestListener(gateway.fetch, { overrideGlobalObjects: false });
      const { url, close } = await serve((request, response) => {
        request.url = request.url?.replace(/^\/agents/, '');
        return listener(request, response);
      });
      const client = createHttpClient({ url: `${url}/agents` });
      const { chainId } = await client.startChain({ agent: 'looker', task: 'Look.' });
      expect(await client.getResult({ chainId, wait: 30 })).toMatchObject({ answer: 'Done.' });
      await close();
      const hono = await serve(
        getRequestListener(new Hono().mount('/agents', gateway.fetch).fetch, { overrideGlobalObjects: false }),
      );
      const mounted = createHttpClient({ url: `${hono.url}/agents` });
      expect(await mounted.getResult({ chainId })).toMatchObject({ answer: 'Done.' });
      await hono.close();
      await gateway.close();
    });
  });

  it('takes the identity of the application, and limits its caller to that', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'One.' }, { text: 'Two.' }] }, async ({ longhand }) => {
      const mine = await longhand.start(agent, 'Mine.', { tenant: 'acme', user: 'ana' });
      const other = await longhand.start(agent, 'Other.', { tenant: 'acme', user: 'bob' });
      await Promise.all([mine.result(), other.result()]);
      const custom = async (request: Request) => {
        const user = /^session=(\w+)$/.exec(request.headers.get('cookie') ?? '')?.[1];
        if (user === undefined) return null;
        return {
          ...{ id: `session ${user}`, by: user, tenant: 'acme', user, roles: [], scopes: new Set(['read' as const]) },
          ...{ views: ['end_user'] as const, reach: 'own' as const, requestsPerMinute: null },
        };
      };
      await withGateway({ longhand, authentication: { custom } }, async ({ url }) => {
        const get = (chainId: string, cookie?: string) =>
          fetch(`${url}/v1/chains/${chainId}`, cookie === undefined ? {} : { headers: { cookie } });
        expect((await get(mine.chainId)).status).toBe(401);
        expect((await get(mine.chainId, 'session=ana')).status).toBe(200);
        expect((await get(other.chainId, 'session=ana')).status).toBe(404);
      });
    });
  });
});

describe('a gateway that stops', () => {
  it('hands its streams over: a follower misses nothing and gets nothing twice, and new requests go elsewhere', async () => {
    const replies = [replyWithLook('one'), replyWithLook('two'), replyWithLook('three'), { text: 'Done.' }];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Look.');
      const first = await startGateway({ longhand });
      const second = await startGateway({ longhand });
      // The client knows one address, as behind a load balancer.
      let target = first.url;
      const client = createHttpClient({
        url: 'http://localhost:1',
        fetch: (input, init) => fetch(String(input).replace('http://localhost:1', target), init),
      });
      const ids: (string | null)[] = [];
      for await (const { id } of client.followChain({ chainId: chain.chainId })) {
        ids.push(id);
        if (ids.length !== 2) continue;
        target = second.url;
        await first.server.close();
      }
      const whole: (string | null)[] = [];
      for await (const { id } of second.connect().followChain({ chainId: chain.chainId })) whole.push(id);
      expect(ids).toEqual(whole);
      expect(new Set(ids).size).toBe(ids.length);
      await second.server.close();
    });
  });

  it('answers requests under way before it closes its client, and ends waits for results', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async (test) => {
      const { longhand, taskQueue, worker } = test;
      await worker.stop();
      const connection = { address: getTemporalAddress(), taskQueue };
      const gateway = await startGateway({ connection });
      const chain = await longhand.start(agent, 'Look.');
      const waiting = gateway.connect().getResult({ chainId: chain.chainId, wait: 60 });
      const follower = gateway.connect(undefined, { reconnects: 0 }).followChain({ chainId: chain.chainId });
      const following = follower.next().catch(() => 'lost');
      await vi.waitUntil(async () => (await gateway.connect().getMetrics()).includes('longhand_gateway_streams 1'));
      await gateway.server.close();
      expect(await waiting).toEqual({ chainId: chain.chainId, status: 'running' });
      expect(await following).toBe('lost');
      await test.startWorker();
      await chain.result();
    });
  });

  it('rejects new requests while it waits for one under way, and is not ready', async () => {
    await withWorker({ agents: [agent], replies: [] }, async ({ longhand }) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isHeld = false;
      const custom: Authenticate = async ({ headers }) => {
        if (headers.has('x-held')) {
          isHeld = true;
          await held;
        }
        return localIdentity;
      };
      const { url, server } = await startGateway({ longhand, authentication: { custom } });
      expect((await fetch(`${url}/ready`)).status).toBe(200);
      const underWay = fetch(`${url}/v1/chains?limit=1`, { headers: { 'x-held': '1' } });
      await vi.waitUntil(() => isHeld);
      const stopped = server.close();
      const answer = await fetch(`${url}/ready`);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'closing']);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      const rejected = await fetch(`${url}/v1/chains`);
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
      // An EventSource would stop for good at an error.
      const source = await fetch(`${url}/v1/chains/any/events`, { headers: { accept: 'text/event-stream' } });
      expect([source.status, await source.text()]).toEqual([200, expect.stringContaining('event: closing')]);
      release();
      expect((await underWay).status).toBe(200);
      await stopped;
      await expect(fetch(`${url}/health`)).rejects.toThrow();
    });
  });
});

describe('a gateway in operation', () => {
  it('counts requests by operation, and logs each change with its credential, but neither secrets nor content', async () => {
    const { store } = file;
    const logTo = { lines: [] as string[] };
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand }) => {
      await withGateway({ longhand, store, authentication: { keys: true }, logTo }, async ({ url, connect }) => {
        const key = await createKey(store, { scopes: ['start', 'read', 'admin'] });
        const client = connect(key);
        const { chainId } = await client.startChain({ agent: 'looker', task: 'A secret task.' });
        await client.getResult({ chainId, wait: 30 });
        const wrong = `${key.slice(0, -4)}zzzz`;
        // The secret may contain the character that ends the id.
        const secret = key.split('_').slice(2).join('_');
        expect((await fetch(`${url}/v1/chains`, { headers: { authorization: `Bearer ${wrong}` } })).status).toBe(401);
        const metrics = await client.getMetrics();
        expect(metrics).toContain('longhand_gateway_request_seconds_count{operation="startChain",status="201"} 1');
        expect(metrics).toContain('longhand_gateway_rejections_total{code="unauthenticated"} 1');
        await expect.poll(() => logTo.lines.join('\n')).toContain('A credential was rejected');
        const log = logTo.lines.join('\n');
        const [id] = key.split('_').slice(1);
        const changes = logTo.lines.filter((line) => line.startsWith('info '));
        expect(changes).toEqual([
          expect.stringMatching(`"startChain","caller":"key ${id}".*"${chainId}","status":201`),
        ]);
        await client.cancelChain({ chainId, by: 'ceo' }).catch(() => {});
        await expect
          .poll(() => logTo.lines.at(-1))
          .toContain(`"operation":"cancelChain","caller":"key ${id}","chainId":"${chainId}"`);
        for (const hidden of [key, wrong, secret, 'A secret task.']) expect(log).not.toContain(hidden);
      });
    });
  });

  it('ends the wait for a result with the time, and returns as soon as the chain ends', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand, worker, startWorker }) => {
      await worker.stop();
      await withGateway({ longhand }, async ({ connect }) => {
        const chain = await longhand.start(agent, 'Look.');
        expect(await connect().getResult({ chainId: chain.chainId, wait: 0.2 })).toEqual({
          chainId: chain.chainId,
          status: 'running',
        });
        const waiting = connect().getResult({ chainId: chain.chainId, wait: 60 });
        await startWorker();
        expect(await waiting).toMatchObject({ status: 'ended', outcome: 'success', answer: 'Done.' });
      });
    });
  });

  it('limits the open streams of a credential', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'Done.' }] }, async ({ longhand, worker, startWorker }) => {
      await worker.stop();
      await withGateway({ longhand, limits: { streamsPerCredential: 2 } }, async ({ url }) => {
        const chain = await longhand.start(agent, 'Look.');
        const open = () => {
          const stop = new AbortController();
          return { stop, answer: fetch(`${url}/v1/chains/${chain.chainId}/events`, { signal: stop.signal }) };
        };
        const streams = [open(), open()];
        for (const { answer } of streams) expect((await answer).status).toBe(200);
        const third = open();
        expect((await third.answer).status).toBe(429);
        streams[0]?.stop.abort();
        await vi.waitUntil(async () => {
          const next = open();
          const { status } = await next.answer;
          if (status !== 200) return false;
          next.stop.abort();
          return true;
        });
        streams[1]?.stop.abort();
        await startWorker();
        await chain.result();
      });
    });
  });
});
