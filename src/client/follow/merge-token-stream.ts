/** Merges two streams as they arrive: events of a chain's history, and tokens or interim results of its calls. */

import { type InterimPiece, isInterimPiece, type TokenSubscriber } from '../../contract/index.js';
import { createLinkedAbort } from '../read/linked-abort.js';
import { createPieceAssembler, type NewPiece } from './assemble-pieces.js';
import { createInterimQueue } from './newest-interim.js';

export type EventOrToken<T> =
  | { readonly kind: 'event'; readonly event: T }
  | { readonly kind: 'token'; readonly piece: NewPiece }
  | { readonly kind: 'interim'; readonly piece: InterimPiece };

/** The pieces that a reader requests. */
export interface LiveOptions {
  readonly tokens: boolean;
  readonly interim: boolean;
}

export interface TokenSource {
  readonly channel: TokenSubscriber;
  readonly chainId: string;
  readonly signal: AbortSignal | undefined;
  readonly live: LiveOptions;
}

/** Pieces that wait for a slow consumer; more are dropped, and reported as missing by the next piece. */
const maxWaitingPieces = 10_000;

/**
 * Yields events and pieces; ends when the events end. Pieces received before an event arrived are yielded before it.
 *
 * @param openEvents opens the events; its signal is aborted when the consumer stops, also while it waits
 */
export async function* mergeTokens<T>(
  openEvents: (signal: AbortSignal) => AsyncGenerator<T, void>,
  { channel, chainId, signal, live }: TokenSource,
): AsyncGenerator<EventOrToken<T>, void> {
  const received: NewPiece[] = [];
  const assemble = createPieceAssembler();
  const interims = createInterimQueue();
  let wake = () => {};
  const stop = channel.subscribe(chainId, (published) => {
    if (isInterimPiece(published)) {
      if (live.interim && interims.add(published)) wake();
      return;
    }
    if (!live.tokens) return;
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
      if (received.length === 0 && interims.isEmpty() && !next.hasArrived) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (received.length > 0 || !interims.isEmpty()) {
        for (const piece of received.splice(0)) yield { kind: 'token', piece };
        for (const piece of interims.take()) yield { kind: 'interim', piece };
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
