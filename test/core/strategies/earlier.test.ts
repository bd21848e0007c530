/** Earlier messages in requests: before the task, with alternating roles, and in the reservation (L6). */

import { describe, expect, it } from 'vitest';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import type { ModelRequest } from '../../../src/entries/client.js';
import type { EarlierMessage } from '../../../src/entries/view.js';
import { agentOf, asks, look, someInput } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const user = (text: string): EarlierMessage => ({ role: 'user', text });
const assistant = (text: string): EarlierMessage => ({ role: 'assistant', text });

function play(messages: readonly EarlierMessage[], agent = agentOf(), omitted = 0): Play {
  return prepared(agent, { ...someInput, task: 'And on Sunday?', earlier: { omitted, messages, tools: [] } });
}

function render({ chain }: Play): ModelRequest {
  const { agent } = chain.state;
  if (agent === null) throw new Error('The chain is not prepared.');
  return renderRequest(chain, agent, 'step');
}

/** `user: Hello | When?`: a role with its texts. */
function listTexts({ messages }: ModelRequest): readonly string[] {
  return messages.map(({ role, content }) => {
    const texts = content.map((block) => (block.type === 'text' ? block.text : block.type));
    return `${role}: ${texts.join(' | ')}`;
  });
}

const day = [user('When is it open?'), assistant('From nine to five.')];

it('a follow-up sends the earlier messages before its task, and later steps after it', () => {
  const chain = play(day);
  chain.replied(asks(look()));
  chain.returned('1.1');
  const [first, second, task, ...own] = listTexts(render(chain));
  expect([first, second, task]).toEqual([
    'user: When is it open?',
    'assistant: From nine to five.',
    'user: And on Sunday?',
  ]);
  expect(own).toHaveLength(2);
});

it('with the strategy react an earlier answer has the label of an answer', () => {
  const texts = listTexts(render(play(day, agentOf({ strategy: reactDefaults }))));
  expect(texts[1]).toBe('assistant: Final Answer: From nine to five.');
});

describe.each([toolsDefaults, reactDefaults])('with the strategy $name', (strategy) => {
  const agent = agentOf({ strategy });

  it.each([
    ['begins with an answer', [assistant('How can I help?')], 0, '(The conversation begins with your message.)'],
    ['leaves out messages', day, 3, '(3 earlier messages are left out.)'],
    ['ends with a message of the user', [...day, user('Hm.')], 0, 'When is it open?'],
    ['has an empty message', [user(' '), ...day], 0, 'When is it open?'],
  ])('roles alternate, and the user begins, where the conversation %s', (_where, messages, omitted, beginning) => {
    const request = render(play(messages, agent, omitted));
    const roles = request.messages.map(({ role }) => role);
    expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')));
    expect(listTexts(request)[0]).toContain(beginning);
    expect(listTexts(request).at(-1)).toContain('And on Sunday?');
  });
});

it('L6: a reservation bounds the earlier messages', () => {
  const messages = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? user('ü'.repeat(100)) : assistant('Ja.')));
  const bytes = (chain: Play) =>
    Buffer.byteLength(JSON.stringify(render(chain).messages.map(({ content }) => content)));
  const [short, long] = [play([]), play(messages)];
  const reserved = long.modelCall.reservation.inputTokens - short.modelCall.reservation.inputTokens;
  expect(reserved).toBeGreaterThanOrEqual(bytes(long) - bytes(short));
});

it('of a long conversation a small context window gets the newest messages, and the budget pays for no more', () => {
  const messages = Array.from({ length: 100 }, (_, at) => user(`${at} ${'x'.repeat(200)}`));
  const small = play(messages, agentOf({ model: { contextTokens: 8_000, maxTokens: 1_024 } }));
  const [beginning] = listTexts(render(small));
  expect(beginning).toMatch(/^user: \(\d\d earlier messages are left out\.\)/);
  expect(beginning).toContain('99 xxx');
  expect(beginning).not.toContain(' 0 xxx');
  const whole = play(messages).modelCall.reservation.inputTokens;
  expect(small.modelCall.reservation.inputTokens).toBeLessThan(whole - 10_000);
});
