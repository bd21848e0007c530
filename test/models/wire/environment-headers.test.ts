/** Headers that the SDKs add from the environment reach their own hosts only. */

import { afterEach, expect, it, vi } from 'vitest';
import { callAt, callChat, serve, serveChat } from '../call.js';

afterEach(() => vi.unstubAllEnvs());

it('a server of the Messages API does not get ANTHROPIC_CUSTOM_HEADERS', async () => {
  vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-gateway-key: secret-of-another-host\nAuthorization: Bearer other');
  const server = await serve([{ text: 'ok' }]);
  await callAt(server.url);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-gateway-key');
  expect(server.requests[0]?.headers.authorization).toBe('Bearer test');
});

it('a server of Chat Completions does not get OPENAI_CUSTOM_HEADERS', async () => {
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-gateway-key: secret-of-another-host\nAuthorization: Bearer other');
  const server = await serveChat([{ text: 'ok' }]);
  await callChat(server.url);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer test');
  expect(server.requests[0]?.headers).not.toHaveProperty('x-gateway-key');
});
