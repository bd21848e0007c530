/** What LiteLLM's proxy adds to replies and errors, as recorded from it. The long form of the tests runs the proxy itself. */

import { describe, expect, it } from 'vitest';
import { callAt, callChat, serve, serveChat, toFailure, toReply } from '../call.js';

const behindProxy = { 'x-litellm-version': '1.106.2' };
const wires = [
  ['Messages', serve, callAt],
  ['Chat Completions', serveChat, callChat],
] as const;

describe.each(wires)("a gateway of LiteLLM's over %s", (_, start, call) => {
  it.each([
    [500, 'Response payload is not completed: <TransferEncodingError: 400>', 'server_error', 'reservation'],
    [500, 'litellm.InternalServerError: AnthropicException - Server disconnected.', 'server_error', 'reservation'],
    [408, 'litellm.Timeout: APITimeoutError - Request timed out.', 'timeout', 'reservation'],
    [500, 'litellm.InternalServerError: AnthropicException - Cannot connect to host', 'server_error', 'nothing'],
    [429, 'litellm.RateLimitError: slow down', 'rate_limit', 'nothing'],
    [400, 'No connected db.', 'authentication', 'nothing'],
  ])('%i “%s” is %s and costs %s', async (status, message, kind, settle) => {
    const server = await start([{ status, headers: behindProxy, error: { type: 'None', message } }]);
    expect(toFailure(await call(server.url))).toMatchObject({ kind, message, status, settle });
  });

  it('an equal error of a provider itself costs nothing', async () => {
    const server = await start([{ status: 500, error: { type: 'api_error', message: 'Server disconnected.' } }]);
    expect(toFailure(await call(server.url)).settle).toBe('nothing');
  });

  it('returns the wait that the provider requests, under a name of its own', async () => {
    const server = await start([{ status: 429, headers: { ...behindProxy, 'llm_provider-retry-after': '7' } }]);
    expect(toFailure(await call(server.url)).retryAfterMs).toBe(7_000);
  });

  it('names the model that answered in a header', async () => {
    const server = await start([{ text: 'ok' }]);
    const fetch: typeof globalThis.fetch = async (...request) => {
      const response = await globalThis.fetch(...request);
      const headers = new Headers(response.headers);
      headers.set('x-litellm-model-name', 'openai/gpt-5.5');
      return new Response(response.body, { status: response.status, headers });
    };
    expect(toReply(await call(server.url, { provider: { fetch } })).model).toBe('openai/gpt-5.5');
  });
});
