/** L6: the charge of each kind of failed call, over real HTTP. */

import { createServer as createSecureServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import type { ModelFailure } from '../../../src/core/model/fact.js';
import { createCertificates } from '../../support/certificates.js';
import { callProvider, toFailure } from '../call.js';
import { apiKey, type ContractWire, type ProviderOptions, play } from './contract.js';

export function proveFailures(wire: ContractWire): void {
  const failAt = async (baseURL: string, more: Partial<ProviderOptions> = {}): Promise<ModelFailure> =>
    toFailure(await callProvider(wire.createProvider({ baseURL, apiKey, ...more })));

  describe(`an HTTP error over ${wire.name} before any event costs nothing`, () => {
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
      [502, 'api_error', 'server_error'],
      [503, 'api_error', 'server_error'],
      [503, 'overloaded_error', 'overloaded'],
      [529, 'overloaded_error', 'overloaded'],
    ])('%i %s is %s, without a retry', async (status, type, kind) => {
      const { server, provider } = await play(wire, [{ status, error: { type, message: 'scripted words' } }]);
      expect(toFailure(await callProvider(provider))).toEqual({
        kind,
        message: 'scripted words',
        status,
        retryAfterMs: null,
        settle: 'nothing',
        usage: null,
      });
      expect(server.requests).toHaveLength(1);
    });

    it.each([
      ['a conversation that is too long', 'prompt is too long: 215000 tokens > 200000 maximum', 'context_overflow'],
      ['an account without credit', 'Your credit balance is too low to access the API.', 'billing'],
      ['an unknown model', 'The model `none` does not exist', 'not_found'],
    ])('%s is recognized', async (_, message, kind) => {
      const { provider } = await play(wire, [{ status: 400, error: { type: 'invalid_request_error', message } }]);
      expect(toFailure(await callProvider(provider))).toMatchObject({ kind, message, settle: 'nothing' });
    });

    it.each([
      [{ 'retry-after': '7' }, 7_000],
      [{ 'retry-after': '7', 'retry-after-ms': '1500.2' }, 1_501],
      [{ 'retry-after': 'soon' }, null],
    ])('%o is returned as %s ms', async (headers, retryAfterMs) => {
      const { provider } = await play(wire, [{ status: 429, headers }]);
      expect(toFailure(await callProvider(provider))).toMatchObject({ kind: 'rate_limit', retryAfterMs });
    });

    it('a date to wait for is counted from now', async () => {
      const date = new Date(Date.now() + 60_000).toUTCString();
      const { provider } = await play(wire, [{ status: 529, headers: { 'retry-after': date } }]);
      const { retryAfterMs } = toFailure(await callProvider(provider));
      expect(retryAfterMs).toBeGreaterThan(50_000);
      expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    });

    it('the key is never in its message', async () => {
      const error = { type: 'authentication_error', message: `Wrong key: ${apiKey}` };
      const { provider } = await play(wire, [
        { status: 401, error },
        { errorAfter: 2, text: 'Hi', error },
      ]);
      for (const _ of [1, 2]) {
        const { message } = toFailure(await callProvider(provider));
        expect(message).toContain('Wrong key');
        expect(message).not.toContain(apiKey);
      }
    });
  });

  describe(`a request over ${wire.name}`, () => {
    it('whose connection is refused costs nothing', async () => {
      const url = await findRefusingUrl();
      // A name with several addresses fails with all their errors.
      for (const each of [url, url.replace('127.0.0.1', 'localhost')]) {
        const message = expect.stringMatching(/ECONNREFUSED/);
        expect(await failAt(each)).toMatchObject({ kind: 'connection', settle: 'nothing', message });
      }
    });

    it.each([
      ['whose resolver does not answer', 'EAI_AGAIN', 'getaddrinfo EAI_AGAIN nowhere.invalid'],
      ['with an expired certificate', 'CERT_HAS_EXPIRED', 'certificate has expired'],
      // The SDKs report a timeout.
      ['whose connection does not open in time', 'UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error'],
    ])('%s costs nothing', async (_, code, words) => {
      const fetch = async (): Promise<Response> => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(words), { code }) });
      };
      expect(await failAt('http://nowhere.invalid', { fetch })).toMatchObject({
        kind: 'connection',
        settle: 'nothing',
      });
    });

    it('to a host that does not exist costs nothing, and names the host', async () => {
      const failure = await failAt('http://nowhere..invalid:4000');
      const message = 'DNS has no host nowhere..invalid (ENOTFOUND)';
      expect(failure).toMatchObject({ kind: 'unknown_host', settle: 'nothing', message });
      expect(providerFailures[failure.kind].next).toBe('hold');
    });

    it('to a server whose certificate is not trusted costs nothing', async () => {
      const certificates = createCertificates();
      let requests = 0;
      const server = createSecureServer(certificates.selfSigned, () => (requests += 1));
      const failure = await failAt((await listen(server)).replace('http:', 'https:'));
      server.close();
      certificates.remove();
      expect(failure).toMatchObject({
        kind: 'connection',
        settle: 'nothing',
        message: expect.stringMatching(/self-signed/),
      });
      expect(requests).toBe(0);
    });

    it('to a server that ends the TLS handshake costs nothing', async () => {
      const server = createServer((socket) => socket.on('data', () => socket.destroy()));
      const failure = await failAt((await listen(server)).replace('http:', 'https:'));
      server.close();
      expect(failure).toMatchObject({ kind: 'connection', settle: 'nothing' });
    });

    it('to a blocked port costs nothing and is not retried', async () => {
      const failure = await failAt('http://127.0.0.1:6000');
      const message = 'fetch blocks the port of the address 127.0.0.1:6000';
      expect(failure).toMatchObject({ kind: 'not_found', settle: 'nothing', message });
      expect(providerFailures[failure.kind].next).toBe('hold');
    });

    it('that cannot be built costs nothing', async () => {
      const failure = await failAt('http://127.0.0.1:1', { apiKey: 'a key of two\nlines' });
      expect(failure).toMatchObject({ kind: 'internal', settle: 'nothing' });
    });

    it('whose connection is reset after it was sent costs the reservation', async () => {
      const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
      const failure = await failAt(await listen(server));
      server.close();
      expect(failure).toMatchObject({ kind: 'connection', settle: 'reservation', usage: null });
    });

    it.each(['text/html', 'application/json'])('to another kind of server (%s) is not retried', async (type) => {
      const body = type === 'text/html' ? '<html>hello</html>' : '{"hello":1}';
      const fetch = async () => new Response(body, { headers: { 'content-type': type } });
      const failure = await failAt('http://127.0.0.1:1', { fetch });
      expect(failure).toMatchObject({
        kind: 'not_found',
        message: expect.stringMatching(new RegExp(`is not a.* API.*${type}`)),
      });
    });
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

async function findRefusingUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return url;
}
