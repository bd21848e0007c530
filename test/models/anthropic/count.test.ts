/** The provider counts the tokens of a call without making it. */

import { expect, it } from 'vitest';
import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { request, serve, snapshot } from '../call.js';

const call = { request, model: snapshot, maxTokens: 2_000 };
const { signal } = new AbortController();

it('returns the count of the server, and makes no call', async () => {
  const server = await serve([], { countTokens: () => 1_234 });
  const { countTokens } = anthropicProvider({ baseURL: server.url, apiKey: 'test' });
  await expect(countTokens?.(call, { signal })).resolves.toBe(1_234);
  expect(server.requests).toHaveLength(0);
});

it('fails where the server does not count', async () => {
  const server = await serve([]);
  const { countTokens } = anthropicProvider({ baseURL: server.url, apiKey: 'test' });
  await expect(countTokens?.(call, { signal })).rejects.toThrow();
});
