/** L7: an endless stream of a provider is aborted, in any form. */

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { openaiProvider } from '../../../src/models/openai/provider.js';
import type { ModelCall } from '../../../src/models/wire/provider.js';
import { agentOf } from '../../support/core-builders.js';

const megabyte = 'x'.repeat(1024 * 1024);
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const start = event({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } });

/** Creates a server that sends the same text repeatedly until it is stopped. */
function createEndlessServer(first: string, again: string, status = 200) {
  let sent = 0;
  let stopped = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: (controller) => {
      sent += again.length;
      controller.enqueue(encoder.encode(again));
    },
    cancel: () => {
      stopped = true;
    },
  });
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(body, { headers, status });
  return { fetch, sent: () => sent, stopped: () => stopped };
}

const call: ModelCall = {
  request: { system: '', messages: [], tools: [], toolChoice: 'auto', stopSequences: [] },
  model: agentOf().model,
  maxTokens: 1_000,
};

describe('a reply that never ends', () => {
  it.each([
    [
      'in text',
      start + event({ type: 'content_block_start', index: 0, content_block: { type: 'text' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: megabyte } }),
    ],
    ['in pings', start, event({ type: 'ping', more: megabyte })],
    ['in one line', 'data: ', megabyte],
    ['in comments', '', `: ${megabyte}\n`],
    ['in chunks', '', event({ choices: [{ index: 0, delta: { content: megabyte } }] })],
  ])('is aborted, and its output is charged in full (%s)', async (what, first, again) => {
    const server = createEndlessServer(first, again);
    const createProvider = what === 'in chunks' ? openaiProvider : anthropicProvider;
    const provider = createProvider({ baseURL: 'http://127.0.0.1:1', apiKey: 'k', fetch: server.fetch });
    const result = await provider.call(call, { signal: new AbortController().signal });
    // The start of a message reports the input.
    const charge =
      first === '' || first === 'data: ' ? { settle: 'reservation' } : { usage: { output: call.maxTokens } };
    // The end of an event is not waited for as long as the end of a reply.
    const kind = what === 'in one line' ? 'invalid_reply' : 'too_large';
    expect(result).toMatchObject({ ok: false, failure: { kind, ...charge } });
    expect(server.stopped()).toBe(true);
    expect(server.sent()).toBeLessThan(2 * (what === 'in one line' ? defaults.eventCharacters : defaults.streamBytes));
  });
});

describe('an error that never ends', () => {
  it.each([
    ['the Messages API', anthropicProvider],
    ['Chat Completions', openaiProvider],
  ])('is read in its beginning, over %s, and costs nothing', async (_, createProvider) => {
    const server = createEndlessServer('{"error":{"message":"', megabyte, 503);
    const provider = createProvider({ baseURL: 'http://127.0.0.1:1', apiKey: 'k', fetch: server.fetch });
    const result = await provider.call(call, { signal: new AbortController().signal });
    expect(result).toMatchObject({ ok: false, failure: { kind: 'server_error', status: 503, settle: 'nothing' } });
    expect(server.stopped()).toBe(true);
    expect(server.sent()).toBeLessThan(3 * megabyte.length);
  });
});
