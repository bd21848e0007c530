/**
 * Attacks on the HTTP tools by servers: redirects to the inner network, responses without an end, bombs, servers that wait. And by
 * DNS, which answers the second question differently.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchPageTool, httpRequestTool } from '../../../src/entries/tools.js';
import type { Tool, ToolContext } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';
import { lookupIn, redirectTo, respond, type SiteAnswer, useSite } from '../../support/http-site.js';

type Outcome = { readonly value: unknown } | { readonly error: string };

async function call(tool: Tool, input: object, context: Partial<ToolContext<string>> = {}): Promise<Outcome> {
  try {
    return { value: await tool.parse(input)(contextOf(context)) };
  } catch (error) {
    return { error: `${(error as Error).name}: ${(error as Error).message}` };
  }
}

/** A tool that may request only this site, by its address. */
const toolFor = (port: number, options: object = {}) => httpRequestTool({ allow: [`127.0.0.1:${port}`], ...options });

describe('a redirect', () => {
  /** Locations, with INNER for the inner service, and the reason that is shown. */
  const targets: readonly (readonly [location: string, reason: RegExp])[] = [
    ['http://127.0.0.1:INNER/', /port INNER of 127\.0\.0\.1 is not allowed/],
    ['http://localhost:INNER/', /host localhost is not allowed/],
    ['//127.0.0.1:INNER/', /is not allowed/],
    ['http://2130706433:INNER/', /hides what it is/],
    ['http://[::ffff:127.0.0.1]:INNER/', /is not allowed/],
    ['http://169.254.169.254/latest/', /is not allowed/],
    ['http://user:hunter22@127.0.0.1:INNER/', /user name/],
    ['http:\\\\127.0.0.1:INNER', /backslashes/],
    ['\\\\127.0.0.1:INNER', /is not allowed/],
    ['/\\127.0.0.1:INNER', /is not allowed/],
    ['file:///etc/passwd', /scheme file/],
    ['gopher://127.0.0.1:INNER/', /scheme gopher/],
    ['https://[', /invalid|not a valid URL/],
  ];

  it.each(targets)('to %s is not followed', async (location, reason) => {
    const inner = await useSite(respond(200, 'text/plain', 'credentials of the inner network'));
    const fill = (text: string) => text.replaceAll('INNER', String(inner.port));
    const front = await useSite(redirectTo(fill(location)));
    const outcome = await call(toolFor(front.port), { url: `http://127.0.0.1:${front.port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(new RegExp(fill(reason.source))) });
    expect(outcome).toMatchObject({ error: expect.stringContaining('ToolError: The request was redirected.') });
    expect(JSON.stringify(outcome)).not.toContain('hunter22');
    expect(inner.requests).toEqual([]);
  });

  it('in a circle ends', async () => {
    const site = await useSite(redirectTo('/again'));
    const outcome = await call(toolFor(site.port), { url: `http://127.0.0.1:${site.port}/` });
    expect(outcome).toEqual({ error: 'ToolError: The request was redirected more than 5 times.' });
    expect(site.requests).toHaveLength(6);
  });

  it('to a name whose address is private is not followed, though its host is allowed', async () => {
    const inner = await useSite(respond(200, 'text/plain', 'inner'));
    const front = await useSite(redirectTo(`http://wiki.test:${inner.port}/`));
    const { lookup } = lookupIn({ 'wiki.test': ['127.0.0.1'] });
    const allow = [`127.0.0.1:${front.port}`, `*:${inner.port}`];
    const outcome = await call(httpRequestTool({ allow, lookup }), { url: `http://127.0.0.1:${front.port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(/wiki\.test has an address of this machine/) });
    expect(inner.requests).toEqual([]);
  });

  it('to another origin loses secrets, cookies and the headers of the author and the model', async () => {
    const other = await useSite(respond(200, 'text/plain', 'ok'));
    const front = await useSite(redirectTo(`http://127.0.0.1:${other.port}/x`));
    const tool = httpRequestTool({
      allow: [`127.0.0.1:${front.port}`, `127.0.0.1:${other.port}`],
      headers: {
        authorization: { secret: 'API_KEY', prefix: 'Bearer ', hosts: [`127.0.0.1:${front.port}`] },
        cookie: { secret: 'SESSION', hosts: [`127.0.0.1:${front.port}`, `127.0.0.1:${other.port}`] },
        'x-account': 'acme',
      },
    });
    const outcome = await call(
      tool,
      { url: `http://127.0.0.1:${front.port}/`, headers: { 'if-none-match': '"1"', 'accept-language': 'fr' } },
      { secret: (name) => `value-of-${name}` },
    );
    expect(outcome).toMatchObject({ value: { status: 200 } });
    expect(front.requests[0]?.headers).toMatchObject({
      ...{ authorization: 'Bearer value-of-API_KEY', cookie: 'value-of-SESSION', 'x-account': 'acme' },
    });
    const { headers } = other.requests[0] ?? {};
    expect(headers).toMatchObject({ 'accept-language': 'fr', 'user-agent': 'longhand' });
    for (const name of ['authorization', 'cookie', 'x-account', 'if-none-match'])
      expect(headers).not.toHaveProperty(name);
    expect(JSON.stringify(headers)).not.toContain('value-of');
  });

  it('back to the first origin does not bring the secret back', async () => {
    const answers: SiteAnswer[] = [];
    const other = await useSite((response, request) => answers[0]?.(response, request));
    const front = await useSite((response, request) =>
      request.path === '/end'
        ? respond(200, 'text/plain', 'end')(response, request)
        : redirectTo(`http://127.0.0.1:${other.port}/`)(response, request),
    );
    answers.push(redirectTo(`http://127.0.0.1:${front.port}/end`));
    const tool = httpRequestTool({
      allow: [`127.0.0.1:${front.port}`, `127.0.0.1:${other.port}`],
      headers: { authorization: { secret: 'API_KEY', hosts: [`127.0.0.1:${front.port}`] } },
    });
    await call(tool, { url: `http://127.0.0.1:${front.port}/` });
    expect(front.requests.map(({ headers }) => headers.authorization)).toEqual(['the secret API_KEY', undefined]);
  });
});

describe('DNS', () => {
  it('is asked once: a second answer cannot lead the connection elsewhere (rebinding)', async () => {
    const permitted = await useSite(respond(200, 'text/plain', 'permitted'));
    let answers = 0;
    const tool = httpRequestTool({
      allow: [],
      allowPrivate: [`rebind.test:${permitted.port}`],
      // The first answer is the permitted site, all others are the metadata service.
      lookup: async () => (answers++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']),
    });
    const url = `http://rebind.test:${permitted.port}/`;
    expect(await call(tool, { url })).toMatchObject({ value: { body: 'permitted' } });
    expect(answers).toBe(1);
    expect(permitted.requests[0]?.headers.host).toBe(`rebind.test:${permitted.port}`);
    expect(await call(tool, { url })).toMatchObject({ error: expect.stringMatching(/metadata/) });
    expect(answers).toBe(2);
    expect(permitted.requests).toHaveLength(1);
  });

  it('is asked again for each redirect', async () => {
    const site = await useSite(redirectTo('/next'));
    let answers = 0;
    const lookup = async () => (answers++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    const tool = httpRequestTool({ allow: [], allowPrivate: [`rebind.test:${site.port}`], lookup });
    const outcome = await call(tool, { url: `http://rebind.test:${site.port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(/redirected.*metadata/) });
    expect(site.requests).toHaveLength(1);
  });

  it('is not asked by the socket: the connection goes to the address that was checked', async () => {
    // Nothing resolves this name outside of the lookup.
    const site = await useSite(respond(200, 'text/plain', 'pinned'));
    const { lookup, asked } = lookupIn({ 'only-here.invalid': ['127.0.0.1'] });
    const tool = httpRequestTool({ allow: [], allowPrivate: [`only-here.invalid:${site.port}`], lookup });
    expect(await call(tool, { url: `http://only-here.invalid:${site.port}/` })).toMatchObject({
      value: { body: 'pinned' },
    });
    expect(asked).toEqual(['only-here.invalid']);
  });

  it('that never answers is left alone when the chain is cancelled', async () => {
    const controller = new AbortController();
    const lookup = () => {
      controller.abort(new Error('cancelled by a person'));
      return new Promise<never>(() => {});
    };
    const context = { signal: controller.signal };
    const url = 'https://slow.test/';
    expect(await call(httpRequestTool({ allow: ['*'], lookup }), { url }, context)).toEqual({
      error: 'Error: cancelled by a person',
    });
    // Of an unsafe request, nothing is in doubt: it was not sent.
    const unsafe = httpRequestTool({ allow: ['*'], lookup, methods: ['POST'] });
    expect(await call(unsafe, { url }, context)).toMatchObject({
      error: expect.stringMatching(/^NotDone: .*before it was sent/),
    });
  });

  it('that never answers is left alone when the time is over', async () => {
    const lookup = () => new Promise<never>(() => {});
    const outcome = await call(httpRequestTool({ allow: ['*'], lookup, timeout: 100 }), { url: 'https://slow.test/' });
    expect(outcome).toEqual({ error: 'Error: slow.test did not answer within 100 ms.' });
  });
});

describe('a response', () => {
  const million = Buffer.alloc(20_000_000, 'a');
  const bombs: readonly (readonly [name: string, encoding: string, body: Buffer, reason: RegExp])[] = [
    ['a gzip bomb', 'gzip', gzipSync(million), /larger than 100\.0 KB/],
    ['a deflate bomb', 'deflate', deflateSync(million), /larger than 100\.0 KB/],
    ['a brotli bomb', 'br', brotliCompressSync(million), /larger than 100\.0 KB/],
    ['a bomb in a bomb', 'gzip, gzip', gzipSync(gzipSync(million)), /unknown encoding "gzip, gzip"/],
    ['an unknown encoding', 'zstd-2', Buffer.from('x'), /unknown encoding "zstd-2"/],
    ['a name of Object', 'constructor', Buffer.from('x'), /unknown encoding "constructor"/],
    ['a broken encoding', 'gzip', Buffer.from('no gzip at all'), /cannot be decompressed/],
    ['a plain body that is too large', '', Buffer.alloc(200_000, 'a'), /larger than 100\.0 KB/],
  ];
  it.each(bombs)('that is %s is cut off', async (_name, encoding, body, reason) => {
    const headers: Record<string, string> = encoding === '' ? {} : { 'content-encoding': encoding };
    const site = await useSite(respond(200, 'text/plain', body, headers));
    for (const tool of [
      toolFor(site.port, { maxBytes: 100_000 }),
      fetchPageTool({ allow: [`127.0.0.1:${site.port}`], maxBytes: 100_000 }),
    ]) {
      const outcome = await call(tool, { url: `http://127.0.0.1:${site.port}/` });
      expect(outcome).toMatchObject({ error: expect.stringMatching(reason) });
    }
  });

  it('without an end is disconnected at the limit of bytes', async () => {
    let closed = 0;
    const site = await useSite((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const write = () => {
        while (!response.destroyed && response.write('a'.repeat(10_000)));
      };
      response.on('drain', write).on('close', () => closed++);
      write();
    });
    const outcome = await call(toolFor(site.port, { maxBytes: 100_000 }), { url: `http://127.0.0.1:${site.port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(/larger than/) });
    await expect.poll(() => closed).toBe(1);
  });

  it('that never begins is given up after the idle time', async () => {
    const site = await useSite(() => {});
    const tool = toolFor(site.port, { idleTimeout: 300, timeout: 10_000 });
    const outcome = await call(tool, { url: `http://127.0.0.1:${site.port}/` });
    expect(outcome).toEqual({ error: 'Error: 127.0.0.1 sent nothing for 300 ms.' });
  });

  it('that drips is given up after the total time', async () => {
    const site = await useSite((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const drip = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const tool = toolFor(site.port, { idleTimeout: 5_000, timeout: 400 });
    const outcome = await call(tool, { url: `http://127.0.0.1:${site.port}/` });
    expect(outcome).toEqual({ error: 'Error: 127.0.0.1 did not answer within 400 ms.' });
  });

  it('with huge headers is rejected', async () => {
    const site = await useSite((response) => void response.writeHead(200, { 'x-a': 'a'.repeat(60_000) }).end('x'));
    const outcome = await call(toolFor(site.port), { url: `http://127.0.0.1:${site.port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(/headers of 127\.0\.0\.1 are too large/) });
  });

  it('that is no HTTP is a failure without an address', async () => {
    const tcp = createTcpServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n'));
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    onTestFinished(() => void tcp.close());
    const { port } = tcp.address() as AddressInfo;
    const { lookup } = lookupIn({ 'ssh.test': ['127.0.0.1'] });
    const tool = httpRequestTool({ allow: [], allowPrivate: [`ssh.test:${port}`], lookup });
    const outcome = await call(tool, { url: `http://ssh.test:${port}/` });
    expect(outcome).toMatchObject({ error: expect.stringMatching(/connection to ssh\.test failed/) });
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1');
  });

  it('of a closed port is a failure without an address', async () => {
    const site = await useSite(() => {});
    await site.close();
    const { lookup } = lookupIn({ 'closed.test': ['127.0.0.1'] });
    const tool = httpRequestTool({ allow: [], allowPrivate: [`closed.test:${site.port}`], lookup });
    const outcome = await call(tool, { url: `http://closed.test:${site.port}/` });
    expect(outcome).toEqual({ error: 'Error: The connection to closed.test failed (ECONNREFUSED).' });
  });

  it('is disconnected when the chain is cancelled', async () => {
    let closed = 0;
    const controller = new AbortController();
    const site = await useSite((response) => {
      response.on('close', () => closed++);
      response.writeHead(200, { 'content-type': 'text/plain' }).write('a');
      controller.abort(new Error('cancelled by a person'));
    });
    const url = `http://127.0.0.1:${site.port}/`;
    expect(await call(toolFor(site.port), { url }, { signal: controller.signal })).toEqual({
      error: 'Error: cancelled by a person',
    });
    await expect.poll(() => closed).toBe(1);
  });
});

describe('a model', () => {
  const headers: readonly (readonly [name: string, value: string])[] = [
    ['Host', 'evil.test'],
    ['Authorization', 'Bearer of-the-model'],
    ['Cookie', 'a=b'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['Idempotency-Key', 'mine'],
    ['Metadata-Flavor', 'Google'],
    ['accept', 'a\r\nx-injected: 1'],
    ['accept\r\nx-injected', '1'],
    ['accept', 'a\u0000b'],
    ['__proto__', 'x'],
  ];
  it.each(headers)('cannot set the header %j', async (name, value) => {
    const site = await useSite(respond(200, 'text/plain', 'x'));
    const tool = toolFor(site.port, { headers: { authorization: { secret: 'API_KEY' } } });
    const input = { url: `http://127.0.0.1:${site.port}/`, headers: JSON.parse(JSON.stringify({ [name]: value })) };
    const outcome = await call(tool, input);
    if (name === '__proto__') expect(site.requests[0]?.headers).not.toHaveProperty('__proto__', 'x');
    else {
      expect(outcome).toMatchObject({ error: expect.stringMatching(/NotDone: The header .*Nothing was sent/) });
      expect(site.requests).toEqual([]);
    }
  });

  it('cannot end the first line of the request', async () => {
    const site = await useSite(respond(200, 'text/plain', 'x'));
    const outcome = await call(toolFor(site.port), {
      url: `http://127.0.0.1:${site.port}/`,
      query: { a: '1 HTTP/1.1\r\nx-injected: 1\r\n\r\nGET /second' },
    });
    expect(outcome).toMatchObject({ value: { status: 200 } });
    expect(site.requests).toHaveLength(1);
    expect(site.requests[0]?.headers).not.toHaveProperty('x-injected');
  });

  it('cannot send a secret to another allowed host, or without encryption', async () => {
    const site = await useSite(respond(200, 'text/plain', 'x'));
    const { lookup } = lookupIn({ 'api.test': ['93.184.216.34'] });
    const tool = httpRequestTool({
      allow: ['api.test', `127.0.0.1:${site.port}`],
      headers: { authorization: { secret: 'API_KEY', hosts: ['api.test'] } },
      lookup,
    });
    await call(tool, { url: `http://127.0.0.1:${site.port}/` });
    expect(site.requests[0]?.headers).not.toHaveProperty('authorization');
    // Nor by a permission: DNS may answer with a public address.
    const privately = { allow: [], allowPrivate: ['api.test'], headers: { cookie: { secret: 'SESSION' } }, lookup };
    for (const each of [tool, httpRequestTool(privately)])
      expect(await call(each, { url: 'http://api.test/' })).toMatchObject({
        error: expect.stringMatching(/NotDone: .*has a secret, and http has no encryption/),
      });
  });
});

it('the client ignores proxies of the environment', async () => {
  const proxy = await useSite(respond(200, 'text/plain', 'proxy'));
  const site = await useSite(respond(200, 'text/plain', 'site'));
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
  onTestFinished(() => {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  });
  const outcome = await call(toolFor(site.port), { url: `http://127.0.0.1:${site.port}/` });
  expect(outcome).toMatchObject({ value: { body: 'site' } });
  expect(proxy.requests).toEqual([]);
});
