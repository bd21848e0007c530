/**
 * A follower retries an unavailable server, reacts to an abort at any time, and leaves no listener on its caller's
 * signal.
 */

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { followHistory, retryWhileUnavailable } from '../../../src/client/read/long-poll.js';

const away = Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });

type Polled = Parameters<typeof followHistory>[0];

/** A server with a number of pages; its connection keeps a listener for each call, as Temporal's does. */
function serverOf(pages: number, whilePolled: () => void): Polled {
  let answered = 0;
  const source = {
    namespace: 'd',
    chainId: 'c',
    runId: 'r',
    connection: {
      withAbortSignal: (signal: AbortSignal, read: () => Promise<unknown>) => {
        signal.addEventListener('abort', () => {});
        return read();
      },
    },
    service: {
      getWorkflowExecutionHistory: async () => {
        whilePolled();
        answered += 1;
        return { nextPageToken: new Uint8Array(answered < pages ? 1 : 0) };
      },
    },
  };
  return source as unknown as Polled;
}

describe('a follower', () => {
  it("leaves no listener on its caller's signal", async () => {
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const count = () => listeners.push(getEventListeners(signal, 'abort').length);
    for await (const _ of followHistory(serverOf(50, count), signal));
    expect(listeners).toEqual(Array.from({ length: 50 }, () => 1));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('retries an unavailable server without a limit', async () => {
    let left = 200;
    const pauses: number[] = [];
    const read = async () => {
      if (left-- > 0) throw away;
      return 'back';
    };
    const sleep = (async (ms: number) => pauses.push(ms)) as unknown as Parameters<typeof retryWhileUnavailable>[2];
    expect(await retryWhileUnavailable(undefined, read, sleep)).toBe('back');
    expect(pauses).toHaveLength(200);
    expect(Math.max(...pauses)).toBe(2_000);
  });

  it('reacts at once to an abort between two attempts', async () => {
    const control = new AbortController();
    const read = () => Promise.reject(away);
    // Ends only by the abort.
    const sleep = ((_ms: number, _value: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))) as Parameters<
      typeof retryWhileUnavailable
    >[2];
    const waiting = retryWhileUnavailable(control.signal, read, sleep);
    setImmediate(() => control.abort(new Error('enough')));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('does not retry other errors', async () => {
    const read = () => Promise.reject(Object.assign(new Error('5 NOT_FOUND'), { code: 5 }));
    await expect(retryWhileUnavailable(undefined, read)).rejects.toThrow('NOT_FOUND');
  });
});
