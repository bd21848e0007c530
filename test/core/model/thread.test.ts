/** Earlier messages are bounded, and a start with invalid ones ends its chain. */

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import type { ChainInput } from '../../../src/core/model/fact.js';
import {
  checkEarlier,
  findThreadId,
  getThreadNumber,
  keepNewestMessages,
  listEarlierSensitiveTexts,
} from '../../../src/core/model/thread.js';
import type { EarlierMessage } from '../../../src/entries/view.js';
import { someInput } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { started } from '../../support/core-play.js';

const fromUser = (text: string): EarlierMessage => ({ role: 'user', text });
const keep = (messages: readonly EarlierMessage[], maxBytes?: number, omitted = 0) =>
  keepNewestMessages({ omitted, messages, tools: [] }, maxBytes);

describe('of earlier messages', () => {
  it('the newest that fit are kept, and the number of the others is counted on', () => {
    const { messages, omitted } = keep(
      [fromUser('a'.repeat(40)), fromUser('b'.repeat(40)), fromUser('c'.repeat(40))],
      100,
      3,
    );
    expect(messages.map(({ text }) => text[0])).toEqual(['b', 'c']);
    expect(omitted).toBe(4);
  });

  it('at most 200 are kept, in at most 32,000 bytes', () => {
    const many = keep(Array.from({ length: 300 }, () => fromUser('x')));
    expect(many).toMatchObject({ omitted: 100, messages: { length: 200 } });
    const long = keep(Array.from({ length: 10 }, () => fromUser('ü'.repeat(5_000))));
    expect(long.omitted).toBe(7);
    expect(checkEarlier.is(many) && checkEarlier.is(long)).toBe(true);
  });

  it('one that is too long keeps its beginning and its end', () => {
    const [message] = keep([fromUser(`first ${'word '.repeat(20_000)}last`)]).messages;
    expect(message?.text).toMatch(/^first word[\s\S]*bytes left out[\s\S]*last$/);
    expect(Buffer.byteLength(message?.text ?? '')).toBeLessThanOrEqual(defaults.earlierBytes / 2);
  });

  it('a clipped one with a sensitive part counts as sensitive as a whole, and the part by itself', () => {
    const text = `card 4711 ${'x'.repeat(40_000)} pin 0815`;
    const sensitive = [[5, 9] as const, [text.length - 4, text.length] as const, [20, 30_000] as const];
    const { messages } = keep([{ role: 'user', text, sensitive }]);
    const [message] = messages;
    const known = listEarlierSensitiveTexts({ earlier: { omitted: 0, messages, tools: [] } });
    expect(known).toEqual([message?.text, '4711', '0815']);
    expect(keep(messages).messages).toEqual(messages);
  });
});

describe('a chain', () => {
  it('that follows no other is the first of a thread with its id, and a sub-chain is in no thread', () => {
    expect(findThreadId({ chainId: 'a', input: someInput })).toBe('a');
    const followUp: ChainInput = { ...someInput, thread: { id: 'a', number: 3, follows: 'b' } };
    expect(findThreadId({ chainId: 'c', input: followUp })).toBe('a');
    expect([getThreadNumber(someInput), getThreadNumber(followUp)]).toEqual([1, 3]);
    expect(findThreadId({ chainId: 'a/1.1', input: { ...someInput, lineage: lineage() } })).toBeNull();
  });

  it.each([
    ['messages without a role', { earlier: { omitted: 0, messages: [{ text: 'Hello' }], tools: [] } }, 'earlier'],
    ['messages that are no list', { earlier: { omitted: 0, messages: 'Hello', tools: [] } }, 'earlier'],
    [
      'sensitive parts that are no places',
      { earlier: { omitted: 0, messages: [{ ...fromUser('a'), sensitive: [1] }], tools: [] } },
      'earlier',
    ],
    ['a thread without the chain before', { thread: { id: 'a', number: 2 } }, 'thread'],
    ['a place in its thread below 2', { thread: { id: 'a', number: 1, follows: 'a' } }, 'thread'],
  ])('that is started with %s ends with the reason', (_what, members, member) => {
    const { result } = started({ ...someInput, ...members } as unknown as ChainInput);
    expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'invalid_start' });
    expect(result.reason).toContain(`"${member}"`);
  });
});
