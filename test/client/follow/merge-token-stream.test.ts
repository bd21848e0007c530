/** A reader that stops leaves nothing behind: no poll, no listener, no unhandled rejection. */

import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergeTokens } from '../../../src/client/follow/merge-token-stream.js';
import { createTokenChannel } from '../../../src/contract/tokens.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
});

const live = { tokens: true, interim: true };
const piece = (text: string, offset = 0) => ({ chainId: 'c', runId: 'r', step: 1, call: 'model-1', offset, text });

/** Yields one event, then waits until it is aborted. */
function createEvents() {
  let closed = () => {};
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const openEvents = async function* (signal: AbortSignal) {
    try {
      yield 'event';
      await new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } finally {
      closed();
    }
  };
  return { openEvents, ended };
}

describe('mergeTokens', () => {
  it('stops its source and removes its listener when the reader stops', async () => {
    const channel = createTokenChannel();
    const caller = new AbortController();
    const { openEvents, ended } = createEvents();
    const both = mergeTokens(openEvents, { channel, chainId: 'c', signal: caller.signal, live });
    expect(await both.next()).toMatchObject({ value: { kind: 'event', event: 'event' } });
    const waiting = both.next();
    channel.publish(piece('a'));
    expect(await waiting).toMatchObject({ value: { kind: 'token', piece: { text: 'a' } } });
    await both.return();
    await ended;
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
    caller.abort(new Error('later'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('throws the error of the events, also one thrown while a token was read', async () => {
    const channel = createTokenChannel();
    const caller = new AbortController();
    const both = mergeTokens(createEvents().openEvents, { channel, chainId: 'c', signal: caller.signal, live });
    await both.next();
    const waiting = both.next();
    channel.publish(piece('a'));
    await waiting;
    caller.abort(new Error('enough'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    await expect(both.next()).rejects.toThrow('enough');
  });

  it('yields all events and tokens in order', async () => {
    const channel = createTokenChannel();
    const openEvents = async function* () {
      yield '1';
      channel.publish(piece('a'));
      channel.publish(piece('b', 1));
      await new Promise((resolve) => setImmediate(resolve));
      yield '2';
      yield '3';
    };
    const seen: string[] = [];
    for await (const next of mergeTokens(openEvents, { channel, chainId: 'c', signal: undefined, live })) {
      if (next.kind !== 'interim') seen.push(next.kind === 'event' ? next.event : next.piece.text);
    }
    expect(seen).toEqual(['1', 'a', 'b', '2', '3']);
  });
});
