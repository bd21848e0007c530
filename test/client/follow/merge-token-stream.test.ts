/** Whoever has heard enough leaves nothing behind: no poll, no listener, no rejection that nobody takes. */

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

const piece = (text: string) => ({ chainId: 'c', step: 1, call: 'model-1', text });

/** Tells once, then waits until it is aborted. */
function telling() {
  let closed = () => {};
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const tell = async function* (signal: AbortSignal) {
    try {
      yield 'told';
      await new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } finally {
      closed();
    }
  };
  return { tell, ended };
}

describe('withPieces', () => {
  it('ends what it waits for when its reader leaves, and hears the caller no longer', async () => {
    const channel = createTokenChannel();
    const caller = new AbortController();
    const { tell, ended } = telling();
    const both = mergeTokens(tell, { channel, chainId: 'c', signal: caller.signal });
    expect(await both.next()).toMatchObject({ value: { kind: 'event', event: 'told' } });
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

  it('throws what the telling throws, also when it failed while a piece was being read', async () => {
    const channel = createTokenChannel();
    const caller = new AbortController();
    const both = mergeTokens(telling().tell, { channel, chainId: 'c', signal: caller.signal });
    await both.next();
    const waiting = both.next();
    channel.publish(piece('a'));
    await waiting;
    caller.abort(new Error('enough'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    await expect(both.next()).rejects.toThrow('enough');
  });

  it('gives out all that is told and said, in its order', async () => {
    const channel = createTokenChannel();
    const tell = async function* () {
      yield '1';
      channel.publish(piece('a'));
      channel.publish(piece('b'));
      await new Promise((resolve) => setImmediate(resolve));
      yield '2';
      yield '3';
    };
    const seen: string[] = [];
    for await (const next of mergeTokens(tell, { channel, chainId: 'c', signal: undefined })) {
      seen.push(next.kind === 'event' ? next.event : next.piece.text);
    }
    expect(seen).toEqual(['1', 'a', 'b', '2', '3']);
  });
});
