/**
 * A worker's side of the relay through Postgres (`NOTIFY`). Nothing is stored.
 *
 * B1 Statements begin at least `batchMs` apart, and each sends the pieces of all chains: a transaction that notifies takes a
 *    lock of the whole server at its commit. A piece after a pause is sent immediately. The next statement waits for the last one.
 * B2 The database never slows the worker: what does not fit into the buffer while it does not answer is dropped. A follower
 *    sees the gap by the offsets.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isInterimPiece, type LivePiece, type TokenPublisher } from '../contract/index.js';
import { defaults } from '../core/model/index.js';
import type { Sealer } from '../encryption/index.js';
import type { Store } from '../store/index.js';
import { formatPayload, getChannelName, splitPiece } from './postgres-channel.js';

/** At most 40 batches a second. */
const batchMs = 25;
/** Time without a statement after one that failed. */
const retryMs = 5_000;
/** Characters that wait for the database. */
const maxBufferedLength = 1_000_000;
/** Time for the last batch. */
const closeMs = 1_000;

export interface PostgresPublisher extends TokenPublisher {
  /** Sends what is collected, unless the database does not answer. */
  readonly close: () => Promise<void>;
}

export interface PostgresRelayOptions {
  readonly namespaceId: string;
  /** Null without encryption. */
  readonly sealer: Sealer | null;
}

export function createPostgresPublisher(
  { db }: Pick<Store, 'db'>,
  { namespaceId, sealer }: PostgresRelayOptions,
): PostgresPublisher {
  let waiting = new Map<string, LivePiece>();
  let length = 0;
  let timer: NodeJS.Timeout | null = null;
  /** Time of the clock before which no statement begins. */
  let earliest = 0;
  let sending: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    // An interim result fits by its own limit.
    const pieces = [...waiting.values()].flatMap((piece): readonly LivePiece[] =>
      isInterimPiece(piece) ? [piece] : splitPiece(piece),
    );
    waiting = new Map();
    length = 0;
    if (pieces.length === 0) return;
    const channels = pieces.map(({ chainId }) => getChannelName(namespaceId, chainId));
    const payloads = pieces.map((piece) => formatPayload(piece, sealer));
    await sql`select pg_notify(channel, payload) from unnest(${channels}::text[], ${payloads}::text[]) as batch(channel, payload)`.execute(
      db,
    );
  };

  const schedule = () => {
    const begin = () => {
      timer = null;
      earliest = performance.now() + batchMs;
      sending = flush()
        .catch(() => {
          earliest = performance.now() + retryMs;
        })
        .then(() => {
          sending = null;
          if (waiting.size > 0) schedule();
        });
    };
    timer ??= setTimeout(begin, Math.max(0, earliest - performance.now())).unref();
  };

  return {
    publish: (piece) => {
      const added = isInterimPiece(piece) ? defaults.interimBytes : piece.text.length;
      if (length + added > maxBufferedLength) return;
      if (!addPiece(waiting, piece)) return;
      length += added;
      if (sending === null) schedule();
    },
    close: async () => {
      const last = (sending ?? Promise.resolve()).then(flush).catch(() => {});
      await Promise.race([last, sleep(closeMs, undefined, { ref: false })]);
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/**
 * Appends the text to the waiting piece of the same attempt; an interim result replaces the waiting one of its call.
 *
 * @returns false after a gap: the buffer is full then
 */
function addPiece(waiting: Map<string, LivePiece>, piece: LivePiece): boolean {
  const { chainId, runId, call } = piece;
  const attempt = JSON.stringify([chainId, runId, call]);
  const before = waiting.get(attempt);
  if (before === undefined || isInterimPiece(before) || isInterimPiece(piece)) {
    waiting.set(attempt, piece);
    return true;
  }
  if (before.offset + before.text.length !== piece.offset) return false;
  waiting.set(attempt, { ...before, text: before.text + piece.text });
  return true;
}
