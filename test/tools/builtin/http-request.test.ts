/** The tool `http_request` with a real server: its effects, what it sends, and its results. */

import { describe, expect, it, vi } from 'vitest';
import { type HttpRequestToolOptions, httpRequestTool } from '../../../src/entries/tools.js';
import type { Tool, ToolContext } from '../../../src/index.js';
import { isToolFile } from '../../../src/tools/define/file.js';
import { callOf, contextOf } from '../../support/call-tool.js';
import { lookupIn, redirectTo, respond, type SiteAnswer, useSite } from '../../support/http-site.js';
import { matchError } from '../../support/match-error.js';

const call = async (tool: Tool, input: object, context: Partial<ToolContext<string>> = {}) =>
  (await tool.parse(input)(contextOf(context))) as Record<string, unknown>;

describe('the definition', () => {
  it('decides the effects by the methods', () => {
    const effects = (options: Partial<HttpRequestToolOptions>) =>
      httpRequestTool({ allow: ['api.example.com'], ...options }).snapshot.effects;
    expect(effects({})).toBe('read');
    expect(effects({ methods: ['GET', 'HEAD', 'OPTIONS'] })).toBe('read');
    expect(effects({ methods: ['GET', 'POST'] })).toBe('unsafe');
    expect(effects({ methods: ['PUT'] })).toBe('unsafe');
    expect(effects({ methods: ['GET', 'POST'], idempotencyKey: true })).toBe('idempotent');
    expect(effects({ idempotencyKey: true })).toBe('read');
  });

  it('shows the model hosts and headers, and no secret', () => {
    const { snapshot } = httpRequestTool({
      allow: ['api.example.com', '*.example.org'],
      headers: { authorization: { secret: 'API_KEY', hosts: ['api.example.com'] }, 'x-account': 'acme-7' },
      modelHeaders: ['accept', 'Authorization'],
    });
    expect(snapshot.description).toContain('Allowed hosts: api.example.com, *.example.org.');
    expect(snapshot.description).toContain('these headers: accept.');
    expect(JSON.stringify(snapshot)).not.toMatch(/API_KEY|acme-7/);
    expect(snapshot.kind).toBe('external');
  });

  it('offers a body only where a method takes one', () => {
    const properties = (options: Partial<HttpRequestToolOptions>) =>
      Object.keys(httpRequestTool({ allow: ['a.example'], ...options }).snapshot.inputSchema.properties as object);
    expect(properties({})).toEqual(['method', 'url', 'query', 'headers']);
    expect(properties({ methods: ['POST'] })).toContain('body');
  });

  const invalid: readonly (readonly [options: object, reason: RegExp])[] = [
    [{}, /allow must name a host/],
    [{ allow: [] }, /allow must name a host/],
    [{ allow: ['https://api.example.com'] }, /write a host/],
    [{ allow: ['api.example.com/v1'] }, /write a host/],
    [{ allow: ['user@api.example.com'] }, /write a host/],
    [{ allow: ['*.com'] }, /'\*' for each public host/],
    [{ allow: ['a.*.com'] }, /write a host/],
    [{ allow: ['api.example.com:70000'] }, /from 1 to 65535/],
    [{ allow: ['127.1'] }, /write a host/],
    [{ allow: ['169.254.169.254'] }, /metadata service, which no tool may request/],
    [{ allow: ['0.0.0.0:80'] }, /unspecified address, which no tool may request/],
    [{ allow: ['[fe80::1]'] }, /link-local/],
    [{ allow: ['a.example'], allowPrivate: ['*'] }, /name each host/],
    [{ allow: ['a.example'], allowPrivate: ['*.corp.example'] }, /name each host/],
    [{ allow: ['a.example'], methods: [] }, /must list methods/],
    [{ allow: ['a.example'], methods: ['TRACE'] }, /must list methods/],
    [{ allow: ['a.example'], maxBytes: 0 }, /maxBytes/],
    [{ allow: ['a.example'], timeout: 'soon' }, /timeout/],
    [{ allow: ['a.example'], headers: { Host: 'b' } }, /the client sets itself/],
    [{ allow: ['a.example'], headers: { 'a b': 'b' } }, /not the name of a header/],
    [{ allow: ['a.example'], headers: { a: 'b\r\nc: d' } }, /characters that a header must not have/],
    [{ allow: ['a.example'], headers: { a: { secret: 'a b' } } }, /name of a secret/],
    [{ allow: ['a.example'], headers: { a: { secret: 'KEY', host: 'b' } } }, /unknown member host/],
    [{ allow: ['a.example', 'b.example'], headers: { a: { secret: 'KEY' } } }, /needs the hosts that get the secret/],
    [{ allow: ['*'], headers: { a: { secret: 'KEY' } } }, /needs the hosts/],
    [{ allow: ['*'], headers: { a: { secret: 'KEY', hosts: ['*'] } } }, /needs the hosts/],
    [{ allow: ['a.example'], modelHeaders: ['host'] }, /a model must not set/],
    [{ allow: ['a.example'], alow: ['b.example'] }, /you may mean allow/],
  ];
  it.each(invalid)('is rejected with the fix: %j', (options, reason) => {
    expect(() => httpRequestTool(options as HttpRequestToolOptions)).toThrow(matchError('invalid_options'));
    expect(() => httpRequestTool(options as HttpRequestToolOptions)).toThrow(reason);
  });
});

describe('a request', () => {
  it('has query, headers, secrets and a JSON body; its result has the parsed JSON', async () => {
    const site = await useSite(respond(201, 'application/json', '{"id":7}', { etag: '"1"', 'x-internal': 'no' }));
    const tool = httpRequestTool({
      allow: [`127.0.0.1:${site.port}`],
      methods: ['POST'],
      idempotencyKey: true,
      headers: { authorization: { secret: 'API_KEY', prefix: 'Bearer ' }, 'x-account': 'acme' },
    });
    expect(tool.secrets).toEqual(['API_KEY']);
    const result = await call(
      tool,
      {
        url: `http://127.0.0.1:${site.port}/orders?a=1#top`,
        query: { b: 'two words', c: 3, d: true },
        headers: { 'Accept-Language': 'de' },
        body: { sum: 12 },
      },
      { idempotencyKey: 'key-of-the-call' },
    );
    expect(result).toEqual({
      request: `POST 127.0.0.1:${site.port}/orders`,
      ...{ status: 201, size: '8 bytes', contentType: 'application/json', headers: expect.anything(), body: { id: 7 } },
    });
    expect(result.headers).toMatchObject({ etag: '"1"' });
    expect(result.headers).not.toHaveProperty('x-internal');
    const [request] = site.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/orders?a=1&b=two+words&c=3&d=true', body: '{"sum":12}' });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer the secret API_KEY',
      'x-account': 'acme',
      'accept-language': 'de',
      'content-type': 'application/json',
      'idempotency-key': 'key-of-the-call',
    });
  });

  it('without an effect has no idempotency key', async () => {
    const site = await useSite(respond(200, 'text/plain', 'ok'));
    const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`], methods: ['GET', 'POST'], idempotencyKey: true });
    await call(tool, { method: 'GET', url: `http://127.0.0.1:${site.port}/` });
    expect(site.requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('sends a text as it is', async () => {
    const site = await useSite(respond(200, 'text/plain', 'ok'));
    const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`], methods: ['PUT'] });
    await call(tool, { url: `http://127.0.0.1:${site.port}/`, body: '<a/>', headers: { 'content-type': 'text/xml' } });
    expect(site.requests[0]).toMatchObject({ body: '<a/>', headers: { 'content-type': 'text/xml' } });
  });

  it('reaches a host with a private address only by its name in allowPrivate', async () => {
    const site = await useSite(respond(200, 'text/plain', 'wiki'));
    const { lookup } = lookupIn({ 'wiki.internal': ['127.0.0.1'] });
    const url = `http://wiki.internal:${site.port}/`;
    const permitted = httpRequestTool({ allow: [], allowPrivate: [`wiki.internal:${site.port}`], lookup });
    expect(await call(permitted, { url })).toMatchObject({ body: 'wiki' });
    const { failure } = callOf(() => [httpRequestTool({ allow: [`wiki.internal:${site.port}`], lookup })]);
    expect(await failure('http_request', { url })).toMatch(/NotDone: .*wiki\.internal has an address of this machine/);
  });
});

describe('a result', () => {
  const resultOf = async (type: string, body: string | Buffer, options: Partial<HttpRequestToolOptions> = {}) => {
    const site = await useSite(respond(200, type, body));
    const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`], ...options });
    return await call(tool, { url: `http://127.0.0.1:${site.port}/files/report%20(1).bin` });
  };

  it('has a text in its character set', async () => {
    expect(await resultOf('text/plain; charset=iso-8859-1', Buffer.from('Gr\xfc\xdfe', 'latin1'))).toMatchObject({
      body: 'Grüße',
    });
    expect(await resultOf('application/problem+json', '{"a":1}')).toMatchObject({ body: { a: 1 } });
    expect(await resultOf('application/json', '{"a":')).toMatchObject({ body: '{"a":' });
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await resultOf('application/json', deep)).toMatchObject({ body: deep });
    expect(await resultOf('', '[1]')).toMatchObject({ body: [1], contentType: '' });
    expect(await resultOf('text/plain', '')).toMatchObject({ body: null, size: '0 bytes' });
  });

  it('has a file in place of what is no text', async () => {
    const { body } = await resultOf('application/zip', Buffer.from([80, 75, 3, 4, 0, 255]));
    expect(isToolFile(body)).toBe(true);
    expect(body).toMatchObject({ name: 'report_1_.bin', mediaType: 'application/zip' });
  });

  it('may be restricted to media types', async () => {
    expect(await resultOf('application/json', '{}', { contentTypes: ['application/json'] })).toMatchObject({
      status: 200,
    });
    expect(await resultOf('text/csv', 'a,b', { contentTypes: ['text/*'] })).toMatchObject({ body: 'a,b' });
    await expect(resultOf('text/html', '<p>', { contentTypes: ['application/json'] })).rejects.toThrow(
      /status 200 and the type text\/html\. Accepted: application\/json/,
    );
  });

  it('has each status, 404 and 500 too', async () => {
    for (const status of [204, 304, 404, 500]) {
      const site = await useSite(respond(status, 'text/plain', ''));
      const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`] });
      expect(await call(tool, { url: `http://127.0.0.1:${site.port}/` })).toMatchObject({ status });
    }
  });

  it('of a redirected request names the place that answered', async () => {
    const site = await useSite((response, request) =>
      request.path === '/new'
        ? respond(200, 'text/plain', 'new')(response, request)
        : redirectTo('/new')(response, request),
    );
    const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`] });
    expect(await call(tool, { url: `http://127.0.0.1:${site.port}/old` })).toMatchObject({
      ...{ request: `GET 127.0.0.1:${site.port}/new`, body: 'new' },
    });
  });
});

describe('a request without an effect, by a tool that is unsafe', () => {
  const mixed = (port: number, options: Partial<HttpRequestToolOptions> = {}) =>
    httpRequestTool({ allow: [`127.0.0.1:${port}`], methods: ['GET', 'POST'], maxBytes: 1_000, ...options });

  const failures: readonly (readonly [
    name: string,
    answer: SiteAnswer,
    options: Partial<HttpRequestToolOptions>,
    reason: RegExp,
  ])[] = [
    ['a body over the size', respond(200, 'text/plain', 'a'.repeat(5_000)), {}, /larger than 1\.0 KB/],
    ['a type that is not read', respond(200, 'text/html', 'x'), { contentTypes: ['text/plain'] }, /type text\/html/],
    ['an unknown encoding', respond(200, 'text/plain', 'x', { 'content-encoding': 'odd' }), {}, /unknown encoding/],
    ['a redirect to another host', redirectTo('http://evil.test/'), {}, /redirected.*evil\.test is not allowed/],
    ['redirects in a circle', redirectTo('/again'), {}, /redirected more than 5 times/],
    ['a connection that breaks', (response) => void response.destroy(), {}, /connection to 127\.0\.0\.1 failed/],
    ['an answer that never begins', () => {}, { idleTimeout: 200 }, /sent nothing for 200 ms/],
    ['an answer that takes too long', () => {}, { timeout: 200 }, /did not answer within 200 ms/],
  ];
  it.each(failures)('is NotDone, and needs no person: %s', async (_name, answer, options, reason) => {
    const site = await useSite(answer);
    const { failure } = callOf(() => [mixed(site.port, options)]);
    const message = await failure('http_request', { method: 'GET', url: `http://127.0.0.1:${site.port}/` });
    expect(message).toMatch(/^NotDone: .* The request changed nothing\.$/);
    expect(message).toMatch(reason);
    expect(site.requests).not.toEqual([]);
  });

  it('is NotDone if it is cancelled, and its connection ends', async () => {
    const controller = new AbortController();
    const closed = vi.fn();
    const site = await useSite((response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/plain' }).write('a');
      controller.abort(new Error('cancelled by a person'));
    });
    const { failure } = callOf(() => [mixed(site.port)]);
    const input = { method: 'GET', url: `http://127.0.0.1:${site.port}/` };
    expect(await failure('http_request', input, { signal: controller.signal })).toBe(
      'NotDone: The request was cancelled. The request changed nothing.',
    );
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });

  it('is NotDone if nothing was sent', async () => {
    const { failure } = callOf(() => [mixed(2)]);
    expect(await failure('http_request', { method: 'GET', url: 'http://127.0.0.1:1/' })).toMatch(
      /^NotDone: The port 1 .* Nothing was sent\.$/,
    );
  });

  it('is no error that ends a retry, if the tool is not unsafe', async () => {
    const site = await useSite((response) => void response.destroy());
    const tool = mixed(site.port, { idempotencyKey: true });
    const input = { method: 'GET', url: `http://127.0.0.1:${site.port}/` };
    await expect(call(tool, input)).rejects.toMatchObject({ name: 'Error' });
  });

  it('does not make a POST of the same tool certain', async () => {
    const site = await useSite((response) => void response.destroy());
    const input = { method: 'POST', url: `http://127.0.0.1:${site.port}/` };
    await expect(call(mixed(site.port), input)).rejects.toMatchObject({ name: 'Error' });
  });
});

describe('an unsafe request', () => {
  const unsafe = (port: number, options: Partial<HttpRequestToolOptions> = {}) =>
    httpRequestTool({ allow: [`127.0.0.1:${port}`], methods: ['POST'], ...options });

  it('is NotDone if it was certainly not sent', async () => {
    const site = await useSite(() => {});
    await site.close();
    const { failure } = callOf(() => [unsafe(site.port)]);
    const url = `http://127.0.0.1:${site.port}/`;
    expect(await failure('http_request', { url })).toMatch(/NotDone: .*ECONNREFUSED.*Nothing was sent/);
    expect(await failure('http_request', { url: 'http://127.0.0.1:1/' })).toMatch(/NotDone: The port 1/);
    expect(await failure('http_request', { url, headers: { cookie: 'a' } })).toMatch(/NotDone: The header/);
  });

  it('leaves its outcome unknown if the connection broke after it was sent', async () => {
    const site = await useSite((response) => void response.destroy());
    await expect(call(unsafe(site.port), { url: `http://127.0.0.1:${site.port}/` })).rejects.toMatchObject({
      name: 'Error',
    });
  });

  it('is not redirected: the redirect is its result', async () => {
    const site = await useSite(redirectTo('/orders/7', 303));
    const result = await call(unsafe(site.port), { url: `http://127.0.0.1:${site.port}/` });
    expect(result).toMatchObject({ status: 303, headers: { location: '/orders/7' } });
    expect(site.requests).toHaveLength(1);
  });

  it('has a result if the server answered with a body that is not read', async () => {
    const site = await useSite(respond(200, 'text/plain', 'a'.repeat(5_000)));
    const result = await call(unsafe(site.port, { maxBytes: 1_000 }), { url: `http://127.0.0.1:${site.port}/` });
    expect(result).toMatchObject({ status: 200, body: null, problem: expect.stringMatching(/larger than 1\.0 KB/) });
  });
});
