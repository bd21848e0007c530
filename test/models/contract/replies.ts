/** Complete replies: text, thinking, calls, usage, stop reasons. */

import { describe, expect, it } from 'vitest';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import type { ModelRequest } from '../../../src/entries/client.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { callProvider, toFailure, toReply } from '../call.js';
import { type ContractWire, hasGap, play, reply } from './contract.js';

const tools = [{ name: 'get_weather', description: 'Weather', inputSchema: { type: 'object' } }] as const;

/** The request after a reply with one call. */
function continueWith(content: readonly ReplyBlock[]): Partial<ModelRequest> {
  const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  return {
    tools,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Paris?' }] },
      { role: 'assistant', content },
      {
        role: 'user',
        content: [
          ...uses.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' }) as const),
          { type: 'text', text: 'Be brief.' },
        ],
      },
    ],
  };
}

export function proveReplies(wire: ContractWire): void {
  describe(`a reply over ${wire.name}`, () => {
    it('contains the streamed text and its usage, in which no token is counted twice', async () => {
      const text = 'It rains in Paris — 12 °C, and 🌦 later. '.repeat(20);
      const cacheWrite = hasGap(wire, 'cache writes') ? 0 : 3;
      const usage = { input: 31, output: 407, cacheRead: 5, cacheWrite, thinking: 2 };
      const { provider } = await play(wire, [{ text, usage }]);
      const spoken: string[] = [];
      const replied = await reply(provider, { options: { onText: (delta) => spoken.push(delta) } });
      const content = [{ type: 'text', text }];
      expect(replied).toEqual({ model: 'claude-sonnet-5-5', stopReason: 'end_turn', content, usage });
      expect(spoken.length).toBeGreaterThan(10);
      expect(spoken.join('')).toBe(text);
    });

    it('contains one call without text', async () => {
      const { provider } = await play(wire, [{ calls: [{ name: 'get_weather', input: { city: 'Paris' }, id: 'c1' }] }]);
      const replied = await reply(provider, { request: { tools } });
      expect(replied.stopReason).toBe('tool_use');
      expect(replied.content).toEqual([{ type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Paris' } }]);
    });

    it('contains several calls in order, with arguments from many pieces', async () => {
      const input = { city: 'São Paulo', days: [1, 2, 3], deep: { note: '"quoted" \\ and\nbroken, 🌦' } };
      const calls = [
        { name: 'a', input, id: 'c1' },
        { name: 'b', input: {}, id: 'c2' },
        { name: 'a', input: { city: 'Rome' }, id: 'c3' },
      ];
      const { provider } = await play(wire, [{ text: 'All three.', calls }]);
      const replied = await reply(provider);
      expect(replied.content).toEqual([
        { type: 'text', text: 'All three.' },
        ...calls.map((call) => ({ type: 'tool_use', ...call })),
      ]);
    });

    it('has thinking that can be read, is kept and goes back to the same provider', async () => {
      const thinking = 'I need the weather.';
      const calls = [{ name: 'get_weather', input: { city: 'Paris' } }];
      const { server, provider } = await play(wire, [{ thinking, calls }, { text: 'Rain.' }]);
      const first = await reply(provider, { request: { tools } });
      expect(first.content[0]).toMatchObject({ type: 'thinking', thinking });
      const second = await reply(provider, { request: continueWith(first.content) });
      expect(second.content).toEqual([{ type: 'text', text: 'Rain.' }]);
      expect(JSON.stringify(server.requests[1]?.body)).toContain(thinking);
      expect(server.rejected).toEqual([]);
    });

    it('is continued after several calls with the result of each', async () => {
      const calls = [
        { name: 'get_weather', input: { city: 'Paris' } },
        { name: 'get_weather', input: { city: 'Rome' } },
      ];
      const { server, provider } = await play(wire, [{ text: 'Both.', calls }, { text: 'Rain.' }]);
      const { content } = await reply(provider, { request: { tools } });
      await reply(provider, { request: continueWith(content) });
      expect(server.rejected).toEqual([]);
      expect(server.requests).toHaveLength(2);
    });

    it.each([...wire.stopReasons])('has the stop reason %s', async (stopReason) => {
      const { provider } = await play(wire, [{ text: 'Well', stopReason }]);
      expect((await reply(provider)).stopReason).toBe(stopReason);
    });

    it('ends at a stop sequence', async () => {
      const { provider } = await play(wire, [{ text: 'Action: look\nObservation: sun' }]);
      const replied = await reply(provider, { request: { stopSequences: ['Observation:', 'STOP'] } });
      expect(replied.content).toEqual([{ type: 'text', text: 'Action: look\n' }]);
      expect(replied.stopReason).toBe(wire.reportsStopSequence ? 'stop_sequence' : 'end_turn');
    });

    it.each<[string, ScriptedReply]>([
      ['text', { text: 'It rains.', usage: { input: 31, output: 7 } }],
      [
        'a call and thinking',
        { thinking: 'Hm.', text: 'I look.', calls: [{ name: 'get_weather', input: { a: 1 }, id: 'c1' }] },
      ],
    ])('in one piece instead of a stream is the same (%s)', async (_, scripted) => {
      const { provider } = await play(wire, [scripted, { ...scripted, inOnePiece: true } as ScriptedReply]);
      const streamed = await reply(provider, { request: { tools } });
      if (hasGap(wire, 'whole replies')) {
        const failure = toFailure(await callProvider(provider, { request: { tools } }));
        expect(failure).toMatchObject({ kind: 'not_found', settle: 'reservation' });
        return;
      }
      const spoken: string[] = [];
      const whole = await reply(provider, { request: { tools }, options: { onText: (text) => spoken.push(text) } });
      expect(whole).toEqual(streamed);
      expect(spoken.join('')).toBe('text' in scripted ? scripted.text : '');
    });

    it.each([
      ['is missing', undefined],
      ['is no object', 'many'],
    ])('whose usage %s has none, so that it is charged in full', async (_, end) => {
      const { provider } = await play(wire, [
        { text: 'Hi', usageOnWire: end === undefined ? {} : { start: end, end } },
      ]);
      const result = await callProvider(provider);
      if (hasGap(wire, 'invalid usage') && !result.ok) {
        expect(result.failure).toMatchObject({ settle: 'reservation', usage: null });
        return;
      }
      expect(toReply(result)).toMatchObject({
        usage: null,
        usageProblem: expect.stringMatching(/^it reported /),
      });
    });

    it('is given with a temperature only where the agent has one', async () => {
      const { server, provider } = await play(wire, [{ text: 'a' }, { text: 'b' }], { allowTemperature: true });
      await reply(provider, { model: { temperature: 0.5 } });
      await reply(provider);
      expect(server.requests.map(({ body }) => body.temperature)).toEqual([
        hasGap(wire, 'temperature') ? undefined : 0.5,
        undefined,
      ]);
    });
  });
}
