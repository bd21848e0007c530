/** Replies over real HTTP: how the provider parses the events of a scripted server. */

import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { serializeEvent, toReplyEvents } from '../../src/models/wire-events.js';
import { replyAt, serve } from './call.js';

describe('a reply', () => {
  it('contains the streamed text and its usage', async () => {
    const text = 'It rains in Paris — 12 °C, and 🌦 later. '.repeat(20);
    const server = await serve([{ text, usage: { input: 31, output: 7, cacheRead: 5, cacheWrite: 3 } }]);
    const spoken: string[] = [];
    const reply = await replyAt(server.url, { options: { onText: (delta) => spoken.push(delta) } });
    expect(reply).toEqual({
      model: 'claude-sonnet-5-5',
      stopReason: 'end_turn',
      content: [{ type: 'text', text }],
      usage: { input: 31, output: 7, cacheRead: 5, cacheWrite: 3, thinking: 0 },
    });
    expect(spoken.length).toBeGreaterThan(10);
    expect(spoken.join('')).toBe(text);
  });

  it('keeps a thought with its signature for the next request', async () => {
    const server = await serve([
      { thinking: 'I need the weather.', calls: [{ name: 'get_weather', input: { city: 'Paris' } }] },
      { text: 'Rain.' },
    ]);
    const tools = [{ name: 'get_weather', description: 'Weather', inputSchema: { type: 'object' } }];
    const reply = await replyAt(server.url, { request: { tools } });
    expect(reply.stopReason).toBe('tool_use');
    expect(reply.content).toEqual([
      { type: 'thinking', thinking: 'I need the weather.', signature: expect.stringMatching(/^.{40,}$/) },
      { type: 'tool_use', id: 'toolu_scripted_1', name: 'get_weather', input: { city: 'Paris' } },
    ]);
    const second = await replyAt(server.url, {
      request: {
        tools,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Paris?' }] },
          { role: 'assistant', content: reply.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_scripted_1', content: 'rain' }] },
        ],
      },
    });
    expect(second.content).toEqual([{ type: 'text', text: 'Rain.' }]);
  });

  it('contains parallel calls in order, with arguments from many pieces', async () => {
    const input = { city: 'São Paulo', days: [1, 2, 3], deep: { note: '"quoted" \\ and\nbroken' } };
    const server = await serve([
      {
        text: 'Both.',
        calls: [
          { name: 'a', input },
          { name: 'b', input: {} },
          { name: 'a', input: { city: 'Rome' } },
        ],
      },
    ]);
    const reply = await replyAt(server.url);
    expect(reply.content.slice(1)).toEqual([
      { type: 'tool_use', id: 'toolu_scripted_1', name: 'a', input },
      { type: 'tool_use', id: 'toolu_scripted_2', name: 'b', input: {} },
      { type: 'tool_use', id: 'toolu_scripted_3', name: 'a', input: { city: 'Rome' } },
    ]);
  });

  it('ends at a stop sequence', async () => {
    const server = await serve([{ text: 'Action: look\nObservation: sun' }]);
    const stopSequences = ['Observation:', 'STOP'];
    const first = await replyAt(server.url, { request: { stopSequences } });
    expect(first.stopReason).toBe('stop_sequence');
    expect(first.content).toEqual([{ type: 'text', text: 'Action: look\n' }]);
    expect(server.requests[0]?.body.stop_sequences).toEqual(stopSequences);
  });

  it.each(['max_tokens', 'pause_turn', 'refusal', 'model_context_window_exceeded'] as const)(
    'has the stop reason %s',
    async (stopReason) => {
      const server = await serve([{ text: 'Well', stopReason }]);
      expect((await replyAt(server.url)).stopReason).toBe(stopReason);
    },
  );
});

describe('a reply whose last event is cut', () => {
  it.each([
    ['its final empty line', 1],
    ['its last two line ends', 2],
    ['a part of its content', 12],
  ])('is complete without %s: it has its stop reason, closed blocks and usage', async (_, endLacks) => {
    const calls = [{ name: 'get_weather', input: { city: 'Paris' }, id: 'c1' }];
    const usage = { input: 31, output: 7 };
    const server = await serve([{ text: 'I look.', calls, usage, endLacks }]);
    expect(await replyAt(server.url)).toEqual({
      model: 'claude-sonnet-5-5',
      stopReason: 'tool_use',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Paris' } },
      ],
      usage: { ...usage, cacheRead: 0, cacheWrite: 0, thinking: 0 },
    });
    expect(server.requests).toHaveLength(1);
  });

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
      cache_control: { type: 'ephemeral' },
      system: [{ type: 'text', text: 'You compare weather.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Paris?' }] }],
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
      },
      model: { effort: 'low', thinking: { type: 'adaptive' }, temperature: 0 },
    });
    expect(server.requests[0]?.body).toMatchObject({
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      output_config: { effort: 'low' },
      thinking: { type: 'adaptive' },
      temperature: 0,
    });
    expect(server.requests[0]?.body).not.toHaveProperty('system');
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
});
