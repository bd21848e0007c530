/** A chat as a response: what a client that does not read, or whose chain cannot be read, gets and leaves behind. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Longhand } from '../../../src/client/connect.js';
import type { WatchEvent } from '../../../src/client/follow/event.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { ChatChain } from '../../../src/gateway/chat/chat-chains.js';
import { streamChat } from '../../../src/gateway/chat/chat-response.js';
import { UiEncoder } from '../../../src/gateway/chat/ui-message-stream.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const token = (text: string) => ({ type: 'token', step: 1, call: 'model-1', text, missing: 0 }) as WatchEvent;

function openChat(watch: (signal: AbortSignal) => AsyncGenerator<WatchEvent, void>) {
  const [client, closing] = [new AbortController(), new AbortController()];
  const [onStreamDropped, onStreamClosed] = [vi.fn(), vi.fn()];
  const longhand = {} as Longhand;
  const handle = { watch: (_: unknown, { signal }: { signal: AbortSignal }) => watch(signal) };
  const response = streamChat(
    { longhand, visibility: {}, signal: client.signal, closing: closing.signal, onStreamDropped, onStreamClosed },
    {
      chain: { handle, chainId: 'chat-1', user: null } as unknown as ChatChain,
      viewer: createViewer('developer'),
      decider: { by: 'ana', roles: [], canDecide: true },
      decidedKeys: new Set(),
      encoder: new UiEncoder('chat-1', 7),
      clientCalls: null,
      lastFrame: '[DONE]',
    },
  );
  return { response, client, closing, onStreamDropped, onStreamClosed };
}

it('a chat whose client does not read ends without a frame, which its protocol would reject, and is counted', async () => {
  const ended = vi.fn();
  const { response, onStreamDropped, onStreamClosed } = openChat(async function* () {
    try {
      for (;;) yield token('x'.repeat(10_000));
    } finally {
      ended();
    }
  });
  await vi.advanceTimersByTimeAsync(31_000);
  expect(onStreamDropped.mock.calls).toEqual([['stalled', 'chat-1', undefined]]);
  expect(await response.text()).toBe('');
  expect([ended.mock.calls.length, onStreamClosed.mock.calls.length]).toEqual([1, 1]);
});

it('a chat that fails ends with an error of its protocol, and its error is reported', async () => {
  const failure = new Error('secret');
  const { response, onStreamDropped } = openChat(async function* () {
    yield token('Hello');
    throw failure;
  });
  const text = await response.text();
  expect(text).toContain('"type":"error"');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(text).not.toContain('secret');
  expect(onStreamDropped.mock.calls).toEqual([['failed', 'chat-1', failure]]);
});

it.each(['client', 'closing'] as const)(
  'a chat ends with its watch when %s is aborted, and keeps no listener',
  async (end) => {
    const watched: AbortSignal[] = [];
    const chat = openChat(async function* (signal) {
      watched.push(signal);
      yield token('Hello');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const remove = vi.spyOn(chat.closing.signal, 'removeEventListener');
    const reader = chat.response.body?.getReader();
    await reader?.read();
    await vi.waitFor(() => expect(watched).toHaveLength(1));
    chat[end].abort();
    await vi.waitFor(async () => expect((await reader?.read())?.done).toBe(true));
    expect(watched[0]?.aborted).toBe(true);
    expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
    expect([chat.onStreamClosed.mock.calls.length, chat.onStreamDropped.mock.calls.length]).toEqual([1, 0]);
  },
);
