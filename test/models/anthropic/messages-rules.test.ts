/** The scripted server rejects what the API rejects; otherwise tests against it would prove little. */

import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/index.js';
import { findRequestFault } from '../../support/messages-rules.js';
import { computeSignature } from '../../support/scripted-reply.js';
import { callAt, failureAt, replyAt, serve } from '../call.js';

const hello = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const thought = (signature: string): JsonObject => ({ type: 'thinking', thinking: 'Hm', signature });
const user = (...content: readonly JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content });
const text = (content: string): JsonObject => ({ type: 'text', text: content });

const body = (changes: JsonObject): JsonObject => ({ model: 'm', max_tokens: 10, messages: [hello], ...changes });
const fault = (...messages: readonly Json[]): string | null => findRequestFault(body({ messages }), false);

it('a complete conversation with thoughts, parallel calls and results is accepted', () => {
  const asks = assistant(thought(computeSignature('Hm')), text('Both.'), use('a'), use('b'));
  expect(fault(hello, asks, user(result('b'), result('a'), text('And?')), assistant(text('Yes')))).toBeNull();
  // Two consecutive turns of one role are a single turn.
  expect(fault(hello, asks, user(result('a')), user(result('b')))).toBeNull();
});

it.each<[string, readonly Json[], RegExp]>([
  ['no message', [], /at least one message/],
  ['an assistant message first', [assistant(text('Hi'))], /first message must use the "user" role/],
  ['an empty text', [user(text(' \n'))], /non-whitespace text/],
  ['an empty message', [user()], /non-empty content/],
  ['a call without result', [hello, assistant(use('a'), use('b')), user(result('a'))], /immediately after: b/],
  ['a call at the end', [hello, assistant(use('a'))], /immediately after: a/],
  ['a result after a text', [hello, assistant(use('a')), user(text('so'), result('a'))], /immediately after: a/],
  ['a result without call', [hello, assistant(text('Hi')), user(result('a'))], /unexpected `tool_use_id`.*: a/],
  ['two results of a call', [hello, assistant(use('a')), user(result('a'), result('a'))], /a single result/],
  ['two calls of one id', [hello, assistant(use('a'), use('a')), user(result('a'))], /must be unique/],
  ['arguments as text', [hello, assistant({ ...use('a'), input: 'x' }), user(result('a'))], /valid dictionary/],
  ['a thought at the end', [hello, assistant(text('Hi'), thought(computeSignature('Hm')))], /cannot be `thinking`/],
  ['a changed thought', [hello, assistant(thought('forged'), text('Hi'))], /Invalid `signature`/],
])('a conversation with this fault is rejected: %s', (_, messages, message) => {
  expect(fault(...messages)).toMatch(message);
});

it.each<[JsonObject, RegExp]>([
  [{ max_tokens: 0 }, /^max_tokens/],
  [{ temperature: 1 }, /^temperature: Extra inputs/],
  [{ system: [text('')] }, /^system/],
  [{ tool_choice: { type: 'auto' } }, /^tool_choice/],
  [{ tools: [{ name: 'a b', input_schema: { type: 'object' } }] }, /should match pattern/],
  [{ tools: [{ name: 'a', input_schema: {} }] }, /input_schema/],
  [{ stop_sequences: [''] }, /^stop_sequences/],
  [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, /greater than `thinking.budget_tokens`/],
])('a request with %j is rejected', (changes, message) => {
  expect(findRequestFault(body(changes), false)).toMatch(message);
});

it('a temperature is accepted if the script allows it', () => {
  expect(findRequestFault(body({ temperature: 1 }), true)).toBeNull();
});

it('a request without streaming is answered in one body', async () => {
  const server = await serve([{ text: 'Hi.', calls: [{ name: 'look', input: { at: 1 } }], usage: { input: 3 } }]);
  const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body({})) });
  expect(await response.json()).toMatchObject({
    model: 'm',
    content: [text('Hi.'), { ...use('toolu_scripted_1'), input: { at: 1 } }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3 },
  });
});

describe('the scripted server', () => {
  it('fails when its script runs out', async () => {
    const server = await serve([{ text: 'one' }]);
    await replyAt(server.url);
    const message = 'no more scripted replies (asked 2 times, 1 were written)';
    expect(await failureAt(server.url)).toMatchObject({ kind: 'bad_request', message });
    await expect(server.close()).rejects.toThrow(message);
    server.close = async () => {};
  });

  it('rejects requests that the API rejects', async () => {
    const server = await serve([]);
    const rejected = await callAt(server.url, { request: { messages: [{ role: 'user', content: [] }] } });
    expect(rejected).toMatchObject({
      failure: { kind: 'bad_request', message: expect.stringMatching(/non-empty content/) },
    });
    await callAt(server.url, { model: { temperature: 1 } });
    expect(server.rejected).toEqual([
      'messages.0: all messages must have non-empty content',
      'temperature: Extra inputs are not permitted',
    ]);
  });
});
