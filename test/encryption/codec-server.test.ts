/** The codec server over real HTTP: it serves permitted requests and reveals nothing to others. */

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterEach, describe, expect, it } from 'vitest';
import { type CodecServer, startCodecServer } from '../../src/encryption/codec-server.js';
import { resolveEncryption } from '../../src/encryption/encryption.js';

const key = randomBytes(32).toString('base64');
const { codec } = resolveEncryption({ current: 'k1', keys: { k1: { key } } }, {})!;
const ui = 'http://127.0.0.1:8233';

let server: CodecServer | null = null;
const reported: string[] = [];
afterEach(async () => {
  await server?.close();
  server = null;
  reported.length = 0;
});

async function startServer(token: string | null = null, host = '127.0.0.1'): Promise<CodecServer> {
  server = await startCodecServer({
    codec,
    host,
    port: 0,
    origins: [ui],
    token,
    report: (line) => reported.push(line),
  });
  return server;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request. `fetch` sets host and origin itself. */
function ask(
  { url }: CodecServer,
  { path = '/decode', method = 'POST', headers = {}, body = '{"payloads":[]}' }: Asked = {},
) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const asking = request(`${url}${path}`, { method, headers }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    asking.on('error', reject).end(method === 'POST' ? body : undefined);
  });
}

const payload = defaultPayloadConverter.toPayload({ secret: 'tea' })!;
const wire = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

describe('a codec server', () => {
  it.each(['', '/default'])('decodes and encodes, also below a namespace: %j', async (prefix) => {
    const at = await startServer();
    const [sealed] = await codec.encode([payload]);
    const decoded = await ask(at, {
      path: `${prefix}/decode`,
      body: JSON.stringify({ payloads: [wire(sealed!), wire(payload)] }),
    });
    expect(decoded.status).toBe(200);
    expect(JSON.parse(decoded.body)).toEqual({ payloads: [wire(payload), wire(payload)] });
    const encoded = await ask(at, { path: `${prefix}/encode`, body: JSON.stringify({ payloads: [wire(payload)] }) });
    expect(encoded.body).not.toContain(wire(payload).data);
    const back = await ask(at, { path: `${prefix}/decode`, body: encoded.body });
    expect(JSON.parse(back.body)).toEqual({ payloads: [wire(payload)] });
  });

  it('permits pages of the Web UI’s origin only', async () => {
    const at = await startServer();
    const preflight = { method: 'OPTIONS', headers: { origin: ui, 'access-control-request-private-network': 'true' } };
    const allowed = await ask(at, preflight);
    expect(allowed).toMatchObject({ status: 204, body: '' });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ui,
      'access-control-allow-credentials': 'true',
      'access-control-allow-private-network': 'true',
      'access-control-allow-headers': expect.stringContaining('X-Namespace'),
      vary: expect.stringContaining('Origin'),
    });
    expect((await ask(at, { headers: { origin: ui } })).headers['access-control-allow-origin']).toBe(ui);
    const others = [
      'https://evil.example',
      'null',
      `${ui}.evil.example`,
      'http://127.0.0.1:82333',
      'HTTP://127.0.0.1:8233',
      `${ui}/`,
    ];
    for (const origin of others) {
      for (const method of ['POST', 'OPTIONS']) {
        const rejected = await ask(at, { method, headers: { origin } });
        expect(rejected.status, origin).toBe(403);
        expect(Object.keys(rejected.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });

  it('rejects requests for another host name', async () => {
    const at = await startServer();
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7:8234']) {
      expect((await ask(at, { headers: { host } })).status, host).toBe(403);
    }
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:8234']) {
      expect((await ask(at, { headers: { host } })).status, host).toBe(200);
    }
  });

  it('requires the exact token, except for a preflight', async () => {
    const at = await startServer('a-token-of-some-length');
    const status = async (authorization?: string) =>
      (await ask(at, { headers: authorization ? { authorization } : {} })).status;
    expect(await status('Bearer a-token-of-some-length')).toBe(200);
    for (const wrong of [
      undefined,
      'Bearer a-token-of-some-lengt',
      'bearer a-token-of-some-length',
      'a-token-of-some-length',
    ]) {
      expect(await status(wrong), wrong).toBe(401);
    }
    expect((await ask(at, { method: 'OPTIONS', headers: { origin: ui, host: 'codec.example' } })).status).toBe(204);
  });

  it('does not listen on other hosts than loopback without a token', async () => {
    await expect(startServer(null, '0.0.0.0')).rejects.toMatchObject({ code: 'invalid_options' });
    expect(
      (
        await ask(
          await startServer('a-token-of-some-length', '0.0.0.0').then(({ url }) => ({
            url: url.replace('0.0.0.0', '127.0.0.1'),
            close: async () => {},
          })),
        )
      ).status,
    ).toBe(401);
  });

  it('rejects requests that do not match the protocol', async () => {
    const at = await startServer();
    expect((await ask(at, { path: '/download' })).status).toBe(404);
    expect((await ask(at, { method: 'GET' })).status).toBe(405);
    for (const body of [
      '',
      '[]',
      '{"payloads":[1]}',
      '{"payloads":[{"data":7}]}',
      '{"payloads":[{"metadata":{"encoding":1}}]}',
    ]) {
      expect((await ask(at, { body })).status, body).toBe(400);
    }
    const large = await ask(at, { body: `{"payloads":[],"x":"${'x'.repeat(33_000_000)}"}` }).catch(() => ({
      status: 413,
    }));
    expect(large.status).toBe(413);
  });

  it('reports the reason of a failure to the operator only', async () => {
    const at = await startServer();
    const other = resolveEncryption(
      { current: 'theirs', keys: { theirs: { key: randomBytes(32).toString('base64') } } },
      {},
    )!;
    const [sealed] = await other.codec.encode([payload]);
    const rejected = await ask(at, { body: JSON.stringify({ payloads: [wire(sealed!)] }) });
    expect(rejected.status).toBe(422);
    expect(rejected.body).not.toMatch(/theirs|k1|key/);
    expect(reported.join()).toMatch(/master key theirs, but the configured keys are k1/);
  });
});
