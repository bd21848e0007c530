/** Merges two streams as they arrive: events of a chain's history, and tokens of its model calls. */

import type { TokenSubscriber } from '../../contract/tokens.js';
import { createLinkedAbort } from '../read/long-poll.js';
import { createPieceAssembler, type NewPiece } from './assemble-pieces.js';

export type EventOrToken<T> =
  | { readonly kind: 'event'; readonly event: T }
  | { readonly kind: 'token'; readonly piece: NewPiece };

export interface TokenSource {
  readonly channel: TokenSubscriber;
  readonly chainId: string;
  readonly signal: AbortSignal | undefined;
}

/** Pieces that wait for a slow consumer; more are dropped, and reported as missing by the next piece. */
const maxWaitingPieces = 10_000;

/**
 * Yields events and tokens; ends when the events end. Tokens received before an event arrived are yielded before it.
 *
 * @param openEvents opens the events; its signal is aborted when the consumer stops, also while it waits
 */
export async function* mergeTokens<T>(
  openEvents: (signal: AbortSignal) => AsyncGenerator<T, void>,
  { channel, chainId, signal }: TokenSource,
): AsyncGenerator<EventOrToken<T>, void> {
  const received: NewPiece[] = [];
  const assemble = createPieceAssembler();
  let wake = () => {};
  const stop = channel.subscribe(chainId, (published) => {
    const piece = received.length < maxWaitingPieces ? assemble(published) : null;
    if (piece === null) return;
    received.push(piece);
    wake();
  });
  const own = createLinkedAbort(signal);
  const events = openEvents(own.signal);
  const requestNext = () => {
    const next = { answer: events.next(), hasArrived: false };
    const markArrived = () => {
      next.hasArrived = true;
      wake();
    };
    next.answer.then(markArrived, markArrived);
    return next;
  };
  try {
    for (let next = requestNext(); ; ) {
      if (received.length === 0 && !next.hasArrived) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (received.length > 0) {
        for (const piece of received.splice(0)) yield { kind: 'token', piece };
        continue;
      }
      const answer = await next.answer;
      if (answer.done) return;
      yield { kind: 'event', event: answer.value };
      next = requestNext();
    }
  } finally {
    stop();
    own.abort();
    own.unlink();
    events.return().catch(() => {});
  }
}
