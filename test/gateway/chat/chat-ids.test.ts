/** Ids of chats: computed, and parsed strictly. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeFirstChainId,
  findChainId,
  findChainNumber,
  formatCallId,
  formatRequestId,
  parseRequestId,
  toChainId,
} from '../../../src/gateway/chat/chat-ids.js';

const key = { tenant: 'acme', user: 'ana', agent: 'traveller', chatId: 'trip' };

describe('the id of a chat', () => {
  it('differs by tenant, user, agent and chat, however their texts are split', () => {
    const others = [
      key,
      { ...key, tenant: null },
      { ...key, tenant: 'ac', user: 'meana' },
      { ...key, user: 'eve' },
      { ...key, user: null },
      { ...key, agent: 'travellertrip', chatId: '' },
      { ...key, chatId: 'trip2' },
    ].map(computeFirstChainId);
    expect(new Set(others).size).toBe(others.length);
    expect(computeFirstChainId({ ...key })).toBe(others[0]);
  });

  it('contains no text of the client', () => {
    fc.assert(
      fc.property(fc.string(), (chatId) => {
        expect(computeFirstChainId({ ...key, chatId })).toMatch(/^chat-[0-9a-f]{40}$/);
      }),
    );
  });
});

describe('the id of a chain in a chat', () => {
  const first = computeFirstChainId(key);

  it('is read back', () => {
    for (const number of [1, 2, 10, 99_999]) expect(findChainNumber(first, toChainId(first, number))).toBe(number);
  });

  it('is not taken from another chat, nor from another form of a number', () => {
    const other = computeFirstChainId({ ...key, user: 'eve' });
    for (const id of [other, toChainId(other, 2), '', 'chat-', `${first}-`, `${first}-0`, `${first}-1`, `${first}-01`])
      expect(findChainNumber(first, id)).toBeNull();
    for (const end of ['-2/1.1', '-2 ', '-2\n', '-9999999', '-1e3', '-+2', '~2'])
      expect(findChainNumber(first, `${first}${end}`)).toBeNull();
  });

  it('is found at the start of the ids of its messages and calls', () => {
    const second = toChainId(first, 2);
    for (const id of [second, `${second}:3a`, formatCallId(second, '3.1'), `${second}:`])
      expect(findChainId(first, id)).toBe(second);
    for (const id of ['msg-1', `x${second}`, `${second}x:1`]) expect(findChainId(first, id)).toBeNull();
  });
});

describe('the id of a request', () => {
  const chainId = toChainId(computeFirstChainId(key), 3);

  it('is read back, with and without its digest', () => {
    const digest = 'a'.repeat(32);
    expect(parseRequestId(formatRequestId(chainId, '12.3', digest))).toEqual({ chainId, call: '12.3', digest });
    expect(parseRequestId(formatCallId(chainId, '1.1'))).toEqual({ chainId, call: '1.1', digest: null });
  });

  it('is nothing else', () => {
    const wrong = [
      '',
      'x:1.1',
      `${chainId}:1`,
      `${chainId}:1.1:`,
      `${chainId}:1.1:zz`,
      `${chainId}:1.1:${'a'.repeat(65)}`,
    ];
    for (const id of [...wrong, `${chainId}/1.1:1.1`, ` ${chainId}:1.1`]) expect(parseRequestId(id)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseRequestId(text)).toBeNull();
      }),
    );
  });
});
