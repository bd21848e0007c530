/** Calls through LiteLLM's own proxy, over both APIs to models of both APIs: replies, failures, fallbacks. */

import { describe, expect, it } from 'vitest';
import { litellmLack, litellmPython } from '../../support/litellm.js';
import { exactNames, useLitellm, ways } from '../../support/litellm-front.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { type CallChanges, callProvider, request, toFailure, toReply } from '../call.js';

const long = 'A chest — 宝物 🌦. '.repeat(10);
const wires = ['Messages', 'Chat Completions'] as const;
const look = {
  name: 'look',
  description: 'Looks',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
} as const;

describe.skipIf(litellmPython === null)(`LiteLLM's proxy${litellmLack}`, () => {
  const getFront = useLitellm();
  const callBy = (wire: (typeof wires)[number], name: string, changes: CallChanges = {}) =>
    callProvider(getFront().createProvider(wire), { ...changes, model: { name, ...changes.model } });

  describe.each(ways)('over %s to %s', (wire, upstream) => {
    const play = (reply: ScriptedReply, changes?: CallChanges) => {
      getFront().upstreams[upstream].push(reply);
      return callBy(wire, upstream, changes);
    };

    it('streams a text in several pieces, with its usage', async () => {
      const pieces: string[] = [];
      const usage = { input: 100, output: 50, cacheRead: 30, cacheWrite: 0, thinking: 0 };
      const onText = (piece: string) => pieces.push(piece);
      const reply = toReply(await play({ text: long, usage, chunkDelayMs: 1 }, { options: { onText } }));
      expect(pieces.length).toBeGreaterThan(3);
      expect(pieces.join('')).toBe(long);
      expect(reply).toEqual({
        model: exactNames[upstream],
        stopReason: 'end_turn',
        content: [{ type: 'text', text: long }],
        usage,
      });
    });

    it('returns parallel calls, and takes their results', async () => {
      const calls = [
        { name: 'look', input: { place: 'attic' } },
        { name: 'look', input: { place: 'cellar' } },
      ];
      const first = toReply(await play({ text: 'I look.', calls }, { request: { tools: [look] } }));
      const uses = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      expect(uses.map(({ name, input }) => ({ name, input }))).toEqual(calls);
      expect(first.stopReason).toBe('tool_use');
      const results = uses.map(({ id }, at) => {
        return { type: 'tool_result', tool_use_id: id, content: `result ${at}`, is_error: at === 1 } as const;
      });
      const messages = [
        ...request.messages,
        { role: 'assistant', content: first.content } as const,
        { role: 'user', content: results } as const,
      ];
      const reply = toReply(await play({ text: 'Two.' }, { request: { tools: [look], messages } }));
      expect(reply.content).toEqual([{ type: 'text', text: 'Two.' }]);
      const sent = JSON.stringify(getFront().upstreams[upstream].requests.at(-1)?.body);
      for (const { id } of uses) expect(sent).toContain(id);
      for (const words of ['result 0', 'result 1', 'cellar']) expect(sent).toContain(words);
    });

    it.each<[string, number, string, string, string]>([
      ['a rate limit', 429, 'rate_limit_error', 'slow down', 'rate_limit'],
      ['a wrong key of the upstream', 401, 'authentication_error', 'invalid x-api-key', 'authentication'],
      ['an error of the upstream', 500, 'api_error', 'oops', 'server_error'],
      [
        'a conversation that is too long',
        400,
        'invalid_request_error',
        'prompt is too long: 9 > 8',
        'context_overflow',
      ],
    ])('%s is recognized and costs nothing', async (_, status, type, message, kind) => {
      const failure = toFailure(await play({ status, error: { type, message } }));
      expect(failure).toMatchObject({ kind, status, settle: 'nothing' });
      expect(failure.message).toContain(message);
    });

    it('a reply that breaks off costs all its output', async () => {
      const failure = toFailure(await play({ cutAtByte: 900, reply: { text: long } }));
      // The input may have been reported before.
      expect([undefined, 2_000]).toContain(failure.usage?.output);
      expect(failure.settle).not.toBe('nothing');
      expect(['server_error', 'cut']).toContain(failure.kind);
    });
  });

  describe.each(wires)('over %s', (wire) => {
    it('answers as a model of its own', async () => {
      const reply = toReply(await callBy(wire, 'mock'));
      expect(reply).toMatchObject({ model: 'openai/mock', content: [{ type: 'text', text: 'Hello from the proxy.' }] });
    });

    it('rejects an unknown model', async () => {
      const failure = toFailure(await callBy(wire, 'none'));
      expect(failure).toMatchObject({ kind: 'not_found', status: 400, settle: 'nothing' });
    });

    it.each([
      ['that could be in its database', `sk-${'0'.repeat(24)}`],
      ['of another form', 'nonsense'],
    ])('rejects a key %s', async (_, key) => {
      const provider = getFront().createProvider(wire, key);
      const failure = toFailure(await callProvider(provider, { model: { name: 'claude' } }));
      expect(failure).toMatchObject({ kind: 'authentication', settle: 'nothing' });
      expect(failure.message).not.toContain(key);
    });

    it('reports an upstream that cannot be reached, at no cost', async () => {
      const failure = toFailure(await callBy(wire, 'nowhere'));
      expect(failure).toMatchObject({ kind: 'server_error', status: 500, settle: 'nothing' });
    });

    it('falls back to another model, whose name is in the reply', async () => {
      getFront().upstreams.claude.push({ status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } });
      getFront().upstreams.gpt.push({ text: 'From the second.' });
      const reply = toReply(await callBy(wire, 'claude-or-gpt'));
      expect(reply).toMatchObject({ model: exactNames.gpt, content: [{ type: 'text', text: 'From the second.' }] });
    });
  });

  it.each(['claude', 'gpt'] as const)('returns the wait that %s requests over Chat Completions', async (upstream) => {
    getFront().upstreams[upstream].push({ status: 429, headers: { 'retry-after': '7' } });
    const failure = toFailure(await callBy('Chat Completions', upstream));
    expect(failure).toMatchObject({ kind: 'rate_limit', retryAfterMs: 7_000 });
  });
});
