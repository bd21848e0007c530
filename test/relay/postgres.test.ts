/** The relay through Postgres: pieces are notifications of a real server. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isInterimPiece, type TokenPiece } from '../../src/contract/tokens.js';
import { createFixedKeySource, createMasterKeys } from '../../src/encryption/master-keys.js';
import { createSealer } from '../../src/encryption/sealer.js';
import { formatPayload, getChannelName, maxTextLength, splitPiece } from '../../src/relay/postgres-channel.js';
import { createPostgresPublisher } from '../../src/relay/postgres-publisher.js';
import { createPostgresSubscriber } from '../../src/relay/postgres-subscriber.js';
import { openStore } from '../../src/store/db/open.js';
import type { Store } from '../../src/store/db/store.js';
import { type Fresh, freshPostgres } from '../support/stores.js';

const piece = (chainId: string, offset: number, text: string): TokenPiece => {
  return { chainId, runId: 'r', step: 1, call: 'model-1', offset, text };
};
const sealer = createSealer(createFixedKeySource(createMasterKeys(new Date())), Date.now, 'tokens');
const closers: (() => unknown)[] = [];
let fresh: Fresh;
let store: Store;

beforeEach(async () => {
  fresh = await freshPostgres();
  store = await openStore(fresh.where);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await store.close();
  await fresh.remove();
});

function publisher(options: { readonly sealer?: typeof sealer; readonly namespaceId?: string } = {}) {
  const opened = createPostgresPublisher(store, { namespaceId: 'space', sealer: null, ...options });
  closers.push(opened.close);
  return opened;
}

function subscribe(chainId: string, options: { readonly sealer?: typeof sealer } = {}): TokenPiece[] {
  const received: TokenPiece[] = [];
  if (store.listener === null) throw new Error('The store has no listener.');
  const subscriber = createPostgresSubscriber(store.listener, { namespaceId: 'space', sealer: null, ...options });
  closers.push(subscriber.subscribe(chainId, (each) => isInterimPiece(each) || received.push(each)));
  return received;
}

/** Resolves when a connection of the database listens to the chain. */
async function waitUntilListening(from: ReturnType<typeof publisher>, chainId: string, received: TokenPiece[]) {
  await vi.waitFor(() => {
    from.publish(piece(chainId, 0, '.'));
    expect(received).not.toHaveLength(0);
  });
  // Notifications keep their order: none of the dots arrives after this piece, which is of another attempt.
  from.publish({ ...piece(chainId, 0, 'ready'), call: 'model-0' });
  await vi.waitFor(() => expect(received.at(-1)?.text).toBe('ready'));
  received.length = 0;
}

describe('the relay through Postgres', () => {
  it('carries the pieces of a chain to the followers of that chain, in at most 40 notifications a second', async () => {
    const worker = publisher();
    const received = subscribe('chain-1');
    const other = subscribe('chain-2');
    await waitUntilListening(worker, 'chain-1', received);
    await waitUntilListening(worker, 'chain-2', other);
    received.length = 0;
    const begin = Date.now();
    for (let at = 0; at < 200; at += 1) {
      worker.publish(piece('chain-1', at * 5, 'word '));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const joined = () => received.map(({ text }) => text).join('');
    await vi.waitFor(() => expect(joined()).toBe('word '.repeat(200)));
    expect(received.length).toBeLessThanOrEqual((Date.now() - begin) / 25 + 2);
    expect(other).toEqual([]);
  });

  it('carries long pieces, and text that JSON and Postgres write differently, in several notifications', async () => {
    const worker = publisher();
    const received = subscribe('chain-1');
    await waitUntilListening(worker, 'chain-1', received);
    const text = `${'\u0000\u0001"\\'.repeat(1_000)}${'😀'.repeat(1_000)}`;
    worker.publish(piece('chain-1', 7, text));
    await vi.waitFor(() => expect(received.map((each) => each.text).join('')).toBe(text));
    expect(received.map(({ offset }) => offset)).toEqual(
      splitPiece(piece('chain-1', 7, text)).map(({ offset }) => offset),
    );
  });

  it('receives nothing of another namespace', async () => {
    const worker = publisher();
    const elsewhere = publisher({ namespaceId: 'other' });
    const received = subscribe('chain-1');
    await waitUntilListening(worker, 'chain-1', received);
    elsewhere.publish(piece('chain-1', 0, 'foreign'));
    await elsewhere.close();
    worker.publish(piece('chain-1', 1, 'own'));
    await vi.waitFor(() => expect(received.map(({ text }) => text)).toEqual(['own']));
  });

  it('seals the pieces with encryption, and a follower with keys accepts no others', async () => {
    const sealed = publisher({ sealer });
    const plain = publisher();
    const received = subscribe('chain-1', { sealer });
    const raw: string[] = [];
    closers.push(store.listener?.listen(getChannelName('space', 'chain-1'), (payload) => raw.push(payload)) ?? vi.fn());
    await waitUntilListening(sealed, 'chain-1', received);
    plain.publish(piece('chain-1', 1, 'forged'));
    await plain.close();
    sealed.publish(piece('chain-1', 1, 'The secret plan'));
    await vi.waitFor(() => expect(received.map(({ text }) => text)).toEqual(['The secret plan']));
    expect(raw.some((payload) => payload.includes('forged'))).toBe(true);
    expect(raw.join('')).not.toContain('secret plan');
  });

  it('continues after the connection of a follower was lost', async () => {
    const worker = publisher();
    const received = subscribe('chain-1');
    await waitUntilListening(worker, 'chain-1', received);
    await endListeners();
    await waitUntilListening(worker, 'chain-1', received);
  });

  it('stores nothing, and leaves no connection of a follower that stopped', async () => {
    const worker = publisher();
    const received: TokenPiece[] = [];
    const stop = createPostgresSubscriber(store.listener as never, { namespaceId: 'space', sealer: null }).subscribe(
      'chain-1',
      (each) => isInterimPiece(each) || received.push(each),
    );
    await waitUntilListening(worker, 'chain-1', received);
    expect(await countListeners()).toBe(1);
    stop();
    await vi.waitFor(async () => expect(await countListeners()).toBe(0));
  });
});

it('drops pieces while the database does not answer, without an error', async () => {
  const db = { executeQuery: () => Promise.reject(new Error('down')) };
  const worker = createPostgresPublisher({ db: db as never }, { namespaceId: 'space', sealer: null });
  const text = 'x'.repeat(100_000);
  for (let at = 0; at < 100; at += 1) worker.publish(piece('chain-1', at * text.length, text));
  await worker.close();
});

it('formats payloads below the limit of Postgres, also of sealed text that JSON escapes', () => {
  const [first] = splitPiece(piece('c'.repeat(1_000), 0, '\u0001'.repeat(10_000)));
  const widest = { ...(first as TokenPiece), runId: 'r'.repeat(36), call: 'model-1000000', offset: 10_000_000 };
  expect(widest.text).toHaveLength(maxTextLength);
  expect(formatPayload(widest, sealer).length).toBeLessThan(8_000);
});

const listenerQuery = `from pg_stat_activity where datname = current_database() and query ilike 'listen%'`;

async function countListeners(): Promise<number> {
  return (await runSql(`select pid ${listenerQuery}`)).length;
}

async function endListeners(): Promise<void> {
  await runSql(`select pg_terminate_backend(pid) ${listenerQuery}`);
}

async function runSql(text: string): Promise<readonly unknown[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(fresh.where);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
