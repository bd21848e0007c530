/** Two streams as one, each as it comes: what a chain's history tells, and what the model is saying meanwhile. */

import type { TokenChannel, TokenPiece } from '../../contract/tokens.js';
import { createLinkedAbort } from '../read/long-poll.js';

export type EventOrToken<T> =
  | { readonly kind: 'event'; readonly event: T }
  | { readonly kind: 'token'; readonly piece: TokenPiece };

export interface TokenSource {
  readonly channel: TokenChannel;
  readonly chainId: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Ends with what is told. What was said while a told thing was on its way comes before it.
 *
 * @param tell is told by the signal when nobody listens any more, also while it waits
 */
export async function* mergeTokens<T>(
  tell: (signal: AbortSignal) => AsyncGenerator<T, void>,
  { channel, chainId, signal }: TokenSource,
): AsyncGenerator<EventOrToken<T>, void> {
  const heard: TokenPiece[] = [];
  let wake = () => {};
  const stop = channel.subscribe(chainId, (piece) => {
    heard.push(piece);
    wake();
  });
  const own = createLinkedAbort(signal);
  const told = tell(own.signal);
  const ask = () => {
    const next = { answer: told.next(), hasArrived: false };
    const there = () => {
      next.hasArrived = true;
      wake();
    };
    next.answer.then(there, there);
    return next;
  };
  try {
    for (let next = ask(); ; ) {
      if (heard.length === 0 && !next.hasArrived) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (heard.length > 0) {
        for (const piece of heard.splice(0)) yield { kind: 'token', piece };
        continue;
      }
      const answer = await next.answer;
      if (answer.done) return;
      yield { kind: 'event', event: answer.value };
      next = ask();
    }
  } finally {
    stop();
    own.abort();
    own.unlink();
    told.return().catch(() => {});
  }
}
