/** The scripted server rejects what Chat Completions rejects; otherwise tests against it would prove little. */

import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/index.js';
import { findChatFault } from '../../support/chat-rules.js';
import { serveChat } from '../call.js';

const hello = { role: 'user', content: 'Hello' };
const call = (id: string, given = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: given },
});
const asks = (...calls: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const body = (changes: JsonObject): JsonObject => ({ model: 'm', max_tokens: 10, messages: [hello], ...changes });
const fault = (...messages: readonly Json[]): string | null => findChatFault(body({ messages }));

it('a complete conversation with parallel calls and results is accepted', () => {
  const system = { role: 'system', content: 'Be brief.' };
  const yes = { role: 'assistant', content: 'Yes' };
  expect(fault(system, hello, asks(call('a'), call('b')), result('b'), result('a'), hello, yes)).toBeNull();
});

it.each<[string, readonly Json[], RegExp]>([
  ['no message', [], /too short/],
  ['an unknown role', [{ role: 'human', content: 'Hi' }], /role/],
  ['an unknown member', [{ ...hello, cache_control: {} }], /Unknown parameter: 'messages\[0\].cache_control'/],
  ['a late system message', [hello, { role: 'system', content: 'x' }], /must be the first/],
  ['an empty message', [{ role: 'user', content: '' }], /content/],
  ['an assistant without content', [hello, { role: 'assistant', content: null }], /expected a string/],
  ['an empty list of calls', [hello, asks()], /empty array/],
  ['a call without result', [hello, asks(call('a'), call('b')), result('a'), hello], /must be followed by.*b/],
  ['a call at the end', [hello, asks(call('a'))], /must be followed by.*a/],
  ['a result without call', [hello, result('a')], /must be a response/],
  ['two results of a call', [hello, asks(call('a')), result('a'), result('a')], /must be a response/],
  ['two calls of one id', [hello, asks(call('a'), call('a')), result('a')], /unique/],
  ['arguments that are no object', [hello, asks(call('a', '"x"')), result('a')], /tool_calls/],
])('a conversation with this fault is rejected: %s', (_, messages, message) => {
  expect(fault(...messages)).toMatch(message);
});

it.each<[JsonObject, RegExp]>([
  [{ max_completion_tokens: 1 }, /at the same time/],
  [{ max_tokens: 0 }, /max_tokens/],
  [{ temperature: 1 }, /Unknown parameter: 'temperature'/],
  [{ system: 'x' }, /Unknown parameter: 'system'/],
  [{ stream_options: { include_usage: true } }, /only allowed when 'stream'/],
  [{ tool_choice: 'auto' }, /only allowed when 'tools'/],
  [{ tools: [], tool_choice: 'auto' }, /too short/],
  [{ tools: [{ type: 'function', function: { name: 'a b', parameters: {} } }], tool_choice: 'auto' }, /pattern/],
  [{ tools: [{ type: 'function', function: { name: 'a', parameters: {} } }], tool_choice: 'auto' }, /schema/],
  [{ stop: ['1', '2', '3', '4', '5'] }, /too long/],
])('a request with %j is rejected', (changes, message) => {
  expect(findChatFault(body(changes))).toMatch(message);
});

it('a request without streaming is answered in one body', async () => {
  const server = await serveChat([{ text: 'Hi.', calls: [{ name: 'look', input: { at: 1 } }], usage: { input: 3 } }]);
  const init = { method: 'POST', body: JSON.stringify(body({})) };
  const response = await fetch(`${server.url}/v1/chat/completions`, init);
  expect(await response.json()).toMatchObject({
    model: 'm',
    choices: [
      { message: { content: 'Hi.', tool_calls: [call('call_scripted_1', '{"at":1}')] }, finish_reason: 'tool_calls' },
    ],
    usage: { prompt_tokens: 3 },
  });
});
