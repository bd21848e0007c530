/** A token channel that knows its subscribers: it stores nothing, so a test that reads all tokens begins the reply after them. */

import { createTokenChannel, type TokenChannel } from '../../src/entries/client.js';

export interface CountedChannel {
  readonly channel: TokenChannel;
  /** Resolves when followers have subscribed so many times. */
  readonly whenSubscribed: (times: number) => Promise<void>;
}

export function createCountedChannel(): CountedChannel {
  const channel = createTokenChannel();
  let subscribed = 0;
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  const resolveWaiting = () => {
    for (const { times, resolve } of waiting) if (subscribed >= times) resolve();
  };
  return {
    channel: {
      ...channel,
      subscribe: (...given) => {
        const unsubscribe = channel.subscribe(...given);
        subscribed += 1;
        resolveWaiting();
        return unsubscribe;
      },
    },
    whenSubscribed: (times) =>
      new Promise((resolve) => {
        waiting.push({ times, resolve });
        resolveWaiting();
      }),
  };
}
