/** The strategy `tools`: parsing of replies, and a conversation that the API accepts. L4: no reply throws an exception. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import type { ReplyBlock, ReplyStopReason } from '../../../src/core/model/model.js';
import { renderClosingRequest } from '../../../src/core/strategies/strategies.js';
import { tools } from '../../../src/core/strategies/tools.js';
import { findConversationFault } from '../../support/conversation-rules.js';
import {
  agentOf,
  anything,
  rawReply,
  readBy,
  stopped,
  text,
  thinks,
  toolFailure,
  use,
} from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { formatStopText } from '../../support/stop-text.js';

const agent = agentOf();
const read = (content: readonly ReplyBlock[], stopReason: ReplyStopReason = 'end_turn', validate = anything) =>
  tools.parse(rawReply(content, stopReason), agent, validate);

const replies = (play: Play, content: readonly ReplyBlock[], stopReason: ReplyStopReason = 'tool_use') =>
  play.replied(readBy(agent, rawReply(content, stopReason)));

const rendered = (play: Play) => tools.render(play.chain, agent);
const faultIn = (play: Play) => findConversationFault(rendered(play).messages as unknown as Json);

describe('a reply', () => {
  it('with text alone is the answer', () => {
    expect(read([text('It is 42.')])).toMatchObject({ answer: 'It is 42.', thought: null, calls: [], problem: null });
  });

  it('in several blocks is one answer, without the thinking', () => {
    expect(read([thinks('Hm.'), text('It is '), text('42.')]).answer).toBe('It is \n42.');
  });

  it('with calls requests all of them, in order, with its text as the thought', () => {
    const reading = read([thinks('Hm.'), text('I look.'), use('u1', 'look', { a: 1 }), use('u2', 'pay')], 'tool_use');
    expect(reading).toMatchObject({ answer: null, problem: null, thought: 'I look.' });
    expect(reading.calls).toEqual([
      { useId: 'u1', tool: 'look', input: { a: 1 }, rejected: null },
      { useId: 'u2', tool: 'pay', input: {}, rejected: null },
    ]);
  });

  it('without text has its thinking as the thought', () => {
    expect(read([thinks('I should look.'), use('u1', 'look')], 'tool_use').thought).toBe('I should look.');
  });

  it('contains the rejection of each call', () => {
    const validate = (name: string) => (name === 'pay' ? null : 'There is no such tool.');
    const reading = read([use('u1', 'ghost'), use('u2', 'pay')], 'tool_use', validate);
    expect(reading.calls.map(({ rejected }) => rejected)).toEqual(['There is no such tool.', null]);
    expect(reading.problem).toBeNull();
  });

  it.each<[string, Json]>([
    ['a text', '{"a":'],
    ['a list', [1]],
    ['nothing', null],
  ])('whose arguments are %s is rejected before validation', (_name, input) => {
    const never = () => {
      throw new Error('Not to be asked.');
    };
    expect(read([use('u1', 'look', input)], 'tool_use', never).calls[0]?.rejected).toContain('one JSON object');
  });

  it.each([
    ['nothing', []],
    ['white space', [text(' \n')]],
    ['only thinking', [thinks('Hm.')]],
  ])('with %s is a problem', (_name, content) => {
    expect(read(content)).toMatchObject({ answer: null, calls: [], problem: expect.stringContaining('empty') });
  });

  it('that was cut off is a problem: neither its text nor its calls are complete', () => {
    expect(read([text('It is 4')], 'max_tokens')).toMatchObject({
      answer: null,
      problem: expect.stringContaining('cut off'),
    });
    expect(read([use('u1', 'pay', { to: 'B' })], 'max_tokens')).toMatchObject({ calls: [] });
  });
});

describe('the request', () => {
  it('has the instructions, the tools with their schemas, and the task', () => {
    const request = rendered(prepared(agent));
    expect(request.system).toMatch(/^You are a clerk\.\n\n/);
    expect(request.tools.map(({ name }) => name)).toEqual(['look', 'read', 'poll', 'save', 'pay']);
    expect(request.messages).toEqual([{ role: 'user', content: [text('Find out what is due, and pay it.')] }]);
    expect(request.toolChoice).toBe('auto');
  });

  it('is equal for equal chains', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'look')]);
    play.returned('1.1');
    expect(rendered(play)).toEqual(rendered(play));
  });

  it('has a result for every call in the next message, in the order of the calls', () => {
    const play = prepared(agent);
    replies(play, [
      text('I look.'),
      use('u1', 'look', { a: 1 }),
      use('u2', 'ghost'),
      use('u3', 'look'),
      use('u4', 'save'),
    ]);
    play.returned('1.3', { rows: [] });
    play.returned('1.1', '');
    play.broke('1.4', toolFailure('Error', 'It broke'));
    expect(rendered(play).messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'u1', content: '(no output)' },
        { type: 'tool_result', tool_use_id: 'u2', content: 'Error: There is no tool named ghost.', is_error: true },
        { type: 'tool_result', tool_use_id: 'u3', content: '{"rows":[]}' },
        { type: 'tool_result', tool_use_id: 'u4', content: 'Error: It broke', is_error: true },
      ],
    });
  });

  it('keeps thinking with its signature, and the order of all blocks', () => {
    const play = prepared(agent);
    const content = [thinks('Hm.'), text('I look.'), use('u1', 'look', {})];
    replies(play, content);
    play.returned('1.1');
    expect(rendered(play).messages[1]).toEqual({ role: 'assistant', content });
    expect(faultIn(play)).toBeNull();
  });

  it('has a result for each call of a truncated reply, and the correction after it', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'look', {})], 'max_tokens');
    const content = rendered(play).messages.at(-1)?.content;
    expect(content).toMatchObject([{ type: 'tool_result', tool_use_id: 'u1', is_error: true }, { type: 'text' }]);
    expect(faultIn(play)).toBeNull();
  });

  it('has no empty message for an empty reply', () => {
    const play = prepared(agent);
    replies(play, [thinks('Hm.'), text(' ')], 'end_turn');
    replies(play, [], 'end_turn');
    expect(faultIn(play)).toBeNull();
    expect(rendered(play).messages.every(({ role }) => role === 'user')).toBe(true);
  });

  it('returns a paused turn unchanged and joins it with the next reply', () => {
    const play = prepared(agent);
    const before = [thinks('Hm.'), text('Let me see')];
    replies(play, before, 'pause_turn');
    expect(rendered(play).messages.at(-1)).toEqual({ role: 'assistant', content: before });
    replies(play, [text('… and look.'), use('u1', 'look', {})]);
    play.returned('1.1');
    const [, assistant, results] = rendered(play).messages;
    expect(assistant?.content).toEqual([...before, text('… and look.'), use('u1', 'look', {})]);
    expect(results?.content).toMatchObject([{ tool_use_id: 'u1' }]);
    expect(rendered(play).messages).toHaveLength(3);
  });

  it('for the summary after a stop has a result for each call and allows no calls', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'look'), use('u2', 'save')]);
    play.fired('deadline');
    play.broke('1.1', stopped);
    play.fired('grace');
    const request = renderClosingRequest(rendered(play), formatStopText(play.state) ?? '');
    expect(request).toMatchObject({ toolChoice: 'none', stopSequences: [] });
    const content = request.messages.at(-1)?.content ?? [];
    expect(content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
    expect(JSON.stringify(content)).toContain('Time limit (10 min) reached');
    expect(findConversationFault(request.messages as unknown as Json)).toBeNull();
  });
});

it('L4: any reply of a provider can be parsed', () => {
  const block = fc.oneof(
    fc.string().map(text),
    fc.string().map(thinks),
    fc.tuple(fc.string(), fc.string(), fc.jsonValue()).map(([id, name, input]) => use(id, name, input as Json)),
  );
  const stop = fc.constantFrom<ReplyStopReason>('end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn');
  fc.assert(
    fc.property(fc.array(block), stop, (content, stopReason) => {
      const reading = read(content, stopReason);
      const decided = [reading.answer !== null, reading.calls.length > 0, reading.problem !== null];
      expect(decided.filter(Boolean)).toHaveLength(1);
    }),
  );
});
