/** The Messages API over real HTTP, beside the contract of all providers. */

import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createCarriedReasoning } from '../../../src/models/wire/carried-reasoning.js';
import { serializeEvent, toReplyEvents } from '../../../src/models/wire/wire-events.js';
import { replyAt, serve } from '../call.js';

describe('a reply', () => {
  it.each([true, false])(
    'is complete without its last event, if the connection ends after it (cleanly: %s)',
    async (cleanly) => {
      const server = await serve([{ cutAfter: 6, text: 'It rains in Paris.', cleanly }]);
      expect(await replyAt(server.url)).toMatchObject({
        stopReason: 'end_turn',
        usage: { output: expect.any(Number) },
      });
    },
  );
});

describe('a connection that stays open', () => {
  it.each([0, 1])('does not delay a complete reply (bytes that its end lacks: %i)', async (lacks) => {
    const reply = {
      id: 'm',
      model: 'local',
      content: [{ type: 'text', text: 'Done.' }],
      stopReason: 'end_turn',
    } as const;
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, thinking: 0 };
    const events = toReplyEvents({ ...reply, stopSequence: null, usage });
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(
        events
          .map(serializeEvent)
          .join('')
          .slice(0, -lacks || undefined),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    expect((await replyAt(url)).content).toEqual([{ type: 'text', text: 'Done.' }]);
    server.closeAllConnections();
    server.close();
  });
});

describe('a request', () => {
  it('contains the content of the call and nothing else', async () => {
    const server = await serve([{ text: 'ok' }]);
    await replyAt(server.url);
    expect(server.requests[0]?.body).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 2_000,
      stream: true,
      system: [{ type: 'text', text: 'You compare weather.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Paris?', cache_control: { type: 'ephemeral' } }] }],
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer test');
  });

  it('contains tools, effort, thinking, and a temperature if the model accepts it', async () => {
    const server = await serve([{ text: 'ok' }], { allowTemperature: true });
    await replyAt(server.url, {
      request: {
        system: '',
        tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }],
        toolChoice: 'none',
        stopSequences: ['STOP'],
      },
      model: { effort: 'low', thinking: { type: 'adaptive' }, temperature: 0 },
    });
    expect(server.requests[0]?.body).toMatchObject({
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      stop_sequences: ['STOP'],
      output_config: { effort: 'low' },
      thinking: { type: 'adaptive' },
      temperature: 0,
    });
    expect(server.requests[0]?.body).not.toHaveProperty('system');
  });

  it('asks for one call where the catalogue states that the model makes one', async () => {
    const server = await serve([{ text: 'ok' }]);
    const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }];
    await replyAt(server.url, { request: { tools }, model: { asksForOneCall: true } });
    expect(server.requests[0]?.body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
  });

  it('wraps unreadable arguments in an object, as the API requires', async () => {
    const server = await serve([{ text: 'ok' }]);
    await replyAt(server.url, {
      request: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Paris?' }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'u1', name: 'look', input: '{"city": "Par' }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u1', content: 'no JSON', is_error: true }] },
        ],
      },
    });
    expect(server.requests[0]?.body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'u1', name: 'look', input: { unreadable: '{"city": "Par' } },
    ]);
  });

  it('contains no reasoning of another wire: it is not signed, and Claude may not see it', async () => {
    const server = await serve([{ text: 'ok' }]);
    const reasoning = createCarriedReasoning('openrouter.ai', 'Hm, Paris.', { field: 'reasoning' });
    await replyAt(server.url, {
      request: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Paris?' }] },
          { role: 'assistant', content: [reasoning, { type: 'text', text: 'Rain.' }] },
          { role: 'user', content: [{ type: 'text', text: 'And Rome?' }] },
        ],
      },
    });
    expect(server.requests[0]?.body.messages[1]?.content).toEqual([{ type: 'text', text: 'Rain.' }]);
  });
});
