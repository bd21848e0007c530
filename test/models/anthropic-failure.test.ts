/** L6: the charge of each kind of failed call, over real HTTP. */

import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { providerFailures } from '../../src/core/engine/provider-failure.js';
import { callAt, failureAt, replyAt, serve } from './call.js';

describe('an HTTP error before any event costs nothing', () => {
  it.each([
    [400, 'invalid_request_error', 'bad_request'],
    [401, 'authentication_error', 'authentication'],
    [402, 'billing_error', 'billing'],
    [403, 'permission_error', 'permission'],
    [404, 'not_found_error', 'not_found'],
    [408, 'timeout_error', 'timeout'],
    [409, 'conflict_error', 'server_error'],
    [413, 'request_too_large', 'too_large'],
    [422, 'invalid_request_error', 'bad_request'],
    [429, 'rate_limit_error', 'rate_limit'],
    [500, 'api_error', 'server_error'],
    [503, 'api_error', 'server_error'],
    [529, 'overloaded_error', 'overloaded'],
  ])('%i %s is %s, without a retry', async (status, type, kind) => {
    const server = await serve([{ status, error: { type, message: 'scripted words' } }]);
    expect(await failureAt(server.url)).toEqual({
      kind,
      message: 'scripted words',
      status,
      retryAfterMs: null,
      settle: 'nothing',
      usage: null,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('a conversation that is too long is recognized', async () => {
    const message = 'prompt is too long: 215000 tokens > 200000 maximum';
    const server = await serve([{ status: 400, error: { type: 'invalid_request_error', message } }]);
    expect(await failureAt(server.url)).toMatchObject({ kind: 'context_overflow', message, settle: 'nothing' });
  });

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '7', 'retry-after-ms': '1500.2' }, 1_501],
    [{ 'retry-after': 'soon' }, null],
  ])('%o is returned as %s ms', async (headers, retryAfterMs) => {
    const server = await serve([{ status: 429, headers }]);
    expect(await failureAt(server.url)).toMatchObject({ kind: 'rate_limit', retryAfterMs });
  });

  it('a date is counted from now', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const server = await serve([{ status: 529, headers: { 'retry-after': date } }]);
    const { retryAfterMs } = await failureAt(server.url);
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a request', () => {
  it('whose connection is refused costs nothing', async () => {
    const url = await refusingUrl();
    expect(await failureAt(url)).toMatchObject({
      kind: 'connection',
      settle: 'nothing',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    // A name with several addresses fails with all their errors.
    const byName = await failureAt(url.replace('127.0.0.1', 'localhost'));
    expect(byName).toMatchObject({
      kind: 'connection',
      settle: 'nothing',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('to a host that does not exist costs nothing', async () => {
    const lookUp = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' });
    const fetch = async (): Promise<Response> => {
      throw new TypeError('fetch failed', { cause: lookUp });
    };
    const failure = await failureAt('http://nowhere.invalid', {
      provider: { baseURL: 'http://nowhere.invalid', fetch },
    });
    expect(failure).toMatchObject({ kind: 'connection', settle: 'nothing' });
  });

  it('whose connection does not open in time costs nothing, although the SDK reports a timeout', async () => {
    const slow = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const fetch = async (): Promise<Response> => {
      throw new TypeError('fetch failed', { cause: slow });
    };
    const failure = await failureAt('http://127.0.0.1:1', { provider: { baseURL: 'http://127.0.0.1:1', fetch } });
    expect(failure).toMatchObject({ kind: 'connection', settle: 'nothing' });
  });

  it('to a blocked port costs nothing and is not retried', async () => {
    const failure = await failureAt('http://127.0.0.1:6000');
    const message = 'fetch blocks the port of the address 127.0.0.1:6000';
    expect(failure).toMatchObject({ kind: 'not_found', settle: 'nothing', message });
    expect(providerFailures[failure.kind].next).toBe('hold');
  });

  it('that cannot be built costs nothing', async () => {
    const provider = { baseURL: 'http://127.0.0.1:1', apiKey: 'a key of two\nlines' };
    expect(await failureAt('', { provider })).toMatchObject({ kind: 'internal', settle: 'nothing' });
  });

  it('whose connection is reset after it was sent costs the reservation', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const failure = await failureAt(`http://127.0.0.1:${port}`);
    server.close();
    expect(failure).toMatchObject({ kind: 'connection', settle: 'reservation', usage: null });
  });
});

describe('a stream', () => {
  it.each([0, 1, 4])('that ends after %i events costs the reservation', async (cutAfter) => {
    const server = await serve([{ cutAfter, text: 'It rains in Paris.' }]);
    expect(await failureAt(server.url)).toMatchObject({ kind: 'cut', settle: 'reservation', usage: null });
    expect(server.aborted).toBe(0);
  });

  it('that ends without its last event is incomplete', async () => {
    const server = await serve([{ cutAfter: 5, text: 'It rains in Paris.', cleanly: true }]);
    expect(await failureAt(server.url)).toMatchObject({
      kind: 'cut',
      message: 'the reply ended before it was complete',
      settle: 'reservation',
    });
  });

  it.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'server_error'],
    ['rate_limit_error', 'rate_limit'],
    ['invalid_request_error', 'bad_request'],
    ['something_new', 'server_error'],
  ])('with an error event (%s) is %s and costs the reservation', async (type, kind) => {
    const server = await serve([{ errorAfter: 4, text: 'It rains', error: { type, message: 'sorry' } }]);
    expect(await failureAt(server.url)).toMatchObject({ kind, message: 'sorry', status: null, settle: 'reservation' });
  });

  it('that stalls is a timeout and costs the reservation', async () => {
    const server = await serve([{ hang: true, afterEvents: 4 }, { hang: true }]);
    for (const stallTimeout of [50, '50ms'] as const) {
      const failure = await failureAt(server.url, { provider: { baseURL: server.url, apiKey: 'k', stallTimeout } });
      expect(failure).toMatchObject({ kind: 'timeout', settle: 'reservation', usage: null });
    }
    await vi.waitFor(() => expect(server.aborted).toBe(2));
  });

  it("that takes longer than the model's timeout is a timeout", async () => {
    const server = await serve([{ text: 'slow '.repeat(500), chunkDelayMs: 5 }]);
    expect(await failureAt(server.url, { model: { timeoutMs: 100 } })).toMatchObject({
      kind: 'timeout',
      settle: 'reservation',
    });
  });

  it('of a server that is no Messages API is not retried', async () => {
    const fetch = async () => new Response('<html>hello</html>', { headers: { 'content-type': 'text/html' } });
    const failure = await failureAt('', { provider: { baseURL: 'http://127.0.0.1:1', fetch } });
    expect(failure).toMatchObject({
      kind: 'not_found',
      message: expect.stringMatching(/not a Messages API.*text\/html/),
    });
  });
});

describe('the scripted server', () => {
  it('fails when its script runs out', async () => {
    const server = await serve([{ text: 'one' }]);
    await replyAt(server.url);
    const message = 'no more scripted replies (asked 2 times, 1 were written)';
    expect(await failureAt(server.url)).toMatchObject({ kind: 'bad_request', message });
    await expect(server.close()).rejects.toThrow(message);
    server.close = async () => {};
  });

  it('rejects requests that the API rejects', async () => {
    const server = await serve([]);
    const rejected = await callAt(server.url, { request: { messages: [{ role: 'user', content: [] }] } });
    expect(rejected).toMatchObject({
      failure: { kind: 'bad_request', message: expect.stringMatching(/non-empty content/) },
    });
    await callAt(server.url, { model: { temperature: 1 } });
    expect(server.rejected).toEqual([
      'messages.0: all messages must have non-empty content',
      'temperature: Extra inputs are not permitted',
    ]);
  });
});

async function refusingUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
