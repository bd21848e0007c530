/** Text of models that tries to be an event, pages of other sites, and clients that are slow, many or gone. */

import type { Socket } from 'node:net';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeLong } from '../../support/budget.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { hostileAnswer, useGatewayScene } from '../../support/gateway-scene.js';
import { formatRawRequest, openSocket, type RawRequest, sendRaw } from '../../support/raw-http.js';
import { getTemporalAddress } from '../../support/temporal.js';

const allowedOrigin = 'https://app.acme.example';
const scene = useGatewayScene({
  origins: [allowedOrigin],
  limits: { streamsPerCredential: 5, failuresPerMinute: 10 },
});

/** A gateway without authentication, for programs on this machine. */
let local: TestGateway;
beforeAll(async () => {
  const connection = { address: getTemporalAddress(), taskQueue: scene.test.taskQueue };
  local = await startGateway({ connection, store: scene.store });
});
afterAll(() => local.server.close());

const bearer = (key: string) => [['authorization', `Bearer ${key}`]] as const;

describe('hostile text', () => {
  const texts = [
    hostileAnswer,
    '\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    'a\u2028event: closing\u2029data: {}\u0085\u0085id: 9',
    '</script><script>alert(1)</script>',
    '\0\u001b]0;title\u0007\ufeff\ufffe',
  ];

  it.each(['events', 'reasoning'])('of a model and of people is data of its event, in %s', async (format) => {
    const { chainId } = await scene.owner.startChain({
      ...{ agent: 'clerk', task: `HOSTILE ${texts.join('')}` },
      messages: [{ role: 'user', text: texts.join('') }],
    });
    await scene.owner.getResult({ chainId, wait: 30 });
    const answer = await sendRaw(scene.url, {
      path: `/v1/chains/${chainId}/${format}?as=developer`,
      headers: bearer(scene.ownerKey),
    });
    expect(answer.status).toBe(200);
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    parser.feed(unchunk(answer.body));
    const names = events.map(({ event }) => event);
    const known = format === 'events' ? ['view-opened', 'step-changed'] : ['reasoning'];
    expect(new Set(names)).toEqual(new Set([...known, 'view-completed']));
    expect(names.filter((name) => name === 'view-completed')).toHaveLength(1);
    for (const { id, data, event } of events) {
      expect(id).toMatch(/^[0-9a-f-]{36}\.\d+\.\d+$/);
      expect(JSON.parse(data)).toMatchObject({ type: event });
      expect(data).not.toContain('{"forged":true}');
    }
    const text = JSON.stringify(events.map(({ data }) => JSON.parse(data) as unknown));
    expect(text).toContain('forged');
  });

  it('is no markup where an answer of the gateway is a page', async () => {
    const answer = await sendRaw(scene.url, { path: '/links/%3Cscript%3Ealert(1)%3C%2Fscript%3E' });
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('<script>alert');
  });
});

/** Joins the chunks of a body. */
function unchunk(body: string): string {
  const bytes = Buffer.from(body);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, end).toString(), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts).toString();
}

describe('a page of another site', () => {
  it.each([
    'https://evil.example',
    'null',
    'https://app.acme.example.evil.example',
    'https://evil.example/https://app.acme.example',
    'https://sub.app.acme.example',
    'http://app.acme.example',
    'https://app.acme.example:8443',
    'https://APP.ACME.EXAMPLE.',
    '*',
    'https://app.acme.example, https://evil.example',
  ])('of the origin %s may read nothing', async (origin) => {
    const preflight = await sendRaw(scene.url, {
      ...{ method: 'OPTIONS', path: '/v1/chains' },
      headers: [
        ...[['origin', origin] as const, ['access-control-request-method', 'POST'] as const],
        ['access-control-request-headers', 'authorization,content-type'],
      ],
    });
    const read = await sendRaw(scene.url, {
      path: '/v1/chains',
      headers: [...bearer(scene.ownerKey), ['origin', origin]],
    });
    for (const { headers } of [preflight, read]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('of a listed origin may, and it alone', async () => {
    const { headers } = await sendRaw(scene.url, {
      path: '/v1/chains',
      headers: [...bearer(scene.ownerKey), ['origin', allowedOrigin]],
    });
    expect(headers).toMatchObject({ 'access-control-allow-origin': allowedOrigin });
    expect(headers.vary).toMatch(/origin/i);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  const start = JSON.stringify({ agent: 'clerk', task: 'Answer.' });

  it.each<readonly [string, () => RawRequest['headers']]>([
    ['with its own name for this machine', () => [['host', 'evil.example']]],
    ['with a name that begins like this machine', () => [['host', '127.0.0.1.evil.example']]],
    ['with a name that ends like this machine', () => [['host', 'notlocalhost']]],
    ['with a name in a user', () => [['host', 'localhost@evil.example']]],
    ['with an address that only resembles', () => [['host', '127.0.0.1.']]],
    ['with an address as a number', () => [['host', '2130706433']]],
    ['with all addresses', () => [['host', '0.0.0.0']]],
    ['with its origin', () => [['origin', 'https://evil.example']]],
    ['with the origin null', () => [['origin', 'null']]],
    ['with an origin that begins like this machine', () => [['origin', 'http://localhost.evil.example']]],
    ['with an image or a script', () => [['sec-fetch-site', 'cross-site']]],
  ])('cannot use a gateway of this machine %s', async (_, headers) => {
    const read = await sendRaw(local.url, { path: '/v1/chains', headers: headers() ?? [] });
    const written = await sendRaw(local.url, {
      ...{ method: 'POST', path: '/v1/chains', body: start },
      headers: [...(headers() ?? []), ['content-type', 'application/json']],
    });
    for (const { status, text } of [read, written]) {
      expect([400, 403]).toContain(status);
      expect(text).not.toContain('clerk');
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'cannot use a gateway of this machine with a form as %s',
    async (type) => {
      const answer = await sendRaw(local.url, {
        ...{ method: 'POST', path: '/v1/chains', body: start },
        headers: [['content-type', type]],
      });
      expect(answer.status).toBe(415);
    },
  );

  it('leaves the programs of this machine alone', async () => {
    expect((await local.connect().listChains({ tenant: scene.tenant })).items.length).toBeGreaterThan(0);
  });
});

/** Sends a piece each second until the gateway closes the connection. */
async function expectCutOff(socket: Socket, piece: string): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  const drip = setInterval(() => socket.write(piece), 1_000);
  expect((await scene.owner.listChains({})).items.length).toBeGreaterThan(0);
  await closed;
  clearInterval(drip);
}

describe('a client', () => {
  it('that sends its head slowly is cut off, and others are served', async () => {
    const socket = await openSocket(scene.url);
    socket.write('GET /v1/chains HTTP/1.1\r\nhost: x\r\n');
    await expectCutOff(socket, 'x: y\r\n');
  });

  it('has a limited number of streams, which end with their connections', async () => {
    const key = await scene.createKey({ name: 'watcher' });
    const watcher = scene.connect(key, { reconnects: 0 });
    const open = Array.from({ length: 5 }, () => watcher.followChain({ chainId: scene.waiting }));
    for (const events of open) await events.next();
    await expect(watcher.followChain({ chainId: scene.waiting }).next()).rejects.toMatchObject({ status: 429 });
    // Others have their own.
    const other = scene.owner.followChain({ chainId: scene.waiting });
    expect((await other.next()).done).toBe(false);
    await Promise.all([...open, other].map((events) => events.return()));
    await expect
      .poll(async () => {
        const again = watcher.followChain({ chainId: scene.waiting });
        const read = await again.next().then(
          () => 'read',
          () => 'rejected',
        );
        await again.return().catch(() => {});
        return read;
      })
      .toBe('read');
  });

  it('that opens streams and disconnects leaves none behind', async () => {
    const key = await scene.createKey({ name: 'gone' });
    for (let n = 0; n < 20; n++) {
      const socket = await openSocket(scene.url);
      socket.write(formatRawRequest({ path: `/v1/chains/${scene.waiting}/events`, headers: bearer(key) }, 'x'));
      if (n % 2 === 0) await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    }
    await expect.poll(() => scene.countStreams()).toBe(0);
    const last = scene.connect(key).followChain({ chainId: scene.waiting });
    expect((await last.next()).done).toBe(false);
    await last.return();
  });

  it('with more requests than its key allows is rejected for a time, and others are not', async () => {
    const key = await scene.createKey({ name: 'fast', requestsPerMinute: 5 });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) {
      const answer = await sendRaw(scene.url, { path: '/v1/chains', headers: bearer(key) });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect((await scene.owner.listChains({})).items.length).toBeGreaterThan(0);
  });

  it('that guesses keys is rejected for a time, by its address alone, and known clients are not', async () => {
    await scene.owner.listChains({ limit: 1 });
    const guess = (n: number) =>
      sendRaw(scene.url, {
        path: '/v1/chains',
        headers: [
          ...bearer(`lh_0000000000_${String(n).padStart(43, 'A')}`),
          ['x-forwarded-for', `10.0.0.${n}`],
          ['forwarded', `for=10.0.0.${n}`],
        ],
      });
    const statuses: number[] = [];
    for (let n = 0; n < 15; n++) statuses.push((await guess(n)).status);
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    expect((await scene.owner.listChains({})).items.length).toBeGreaterThan(0);
  });

  it('that only opens connections keeps no other out', async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(scene.url)));
    expect(await scene.connect().getHealth()).toEqual({ status: 'ok' });
    for (const socket of sockets) socket.destroy();
  });
});

describeLong('a client', () => {
  it('that sends its body slowly is cut off, and others are served', async () => {
    const socket = await openSocket(scene.url);
    const headers = [['content-type', 'application/json'] as const, ['content-length', '1000'] as const];
    const request = { method: 'POST', path: '/v1/chains', headers: [...bearer(scene.ownerKey), ...headers] };
    socket.write(formatRawRequest(request, 'x'));
    await expectCutOff(socket, ' ');
  });
});
