/**
 * The running workers of a store with their agents. A start of an agent that none has can then be rejected: the names are in no
 * event, and no workflow and no service keeps them.
 *
 * A worker renews its entry. That of a killed one expires, and the next worker of its queue deletes it.
 */

import { randomUUID } from 'node:crypto';
import { sortByNearness } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { readDatabaseClock } from '../db/clock.js';
import type { RegisteredAgent, RegisteredWorker } from '../db/queries.js';
import type { Store } from '../db/store.js';

/** The queue's workers share their entries. */
export interface WorkerQueue {
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Milliseconds between two renewals, and until an entry expires. */
export const renewalMs = 60_000;
const expiryMs = 3 * renewalMs;

export interface WorkerEntry {
  /** @throws StoreError */
  readonly renew: () => Promise<void>;
  /** @throws StoreError */
  readonly remove: () => Promise<void>;
}

/** Adds a worker with its first renewal. @param now for tests; default: the database's clock */
export function createWorkerEntry(
  store: Store,
  queue: WorkerQueue,
  { identity, agents }: RegisteredWorker,
  now?: () => number,
): WorkerEntry {
  const id = randomUUID();
  const key = toKey(queue);
  return {
    renew: async () => {
      await store.write(async (tx) => {
        const seen_at = now?.() ?? (await readDatabaseClock(tx, store));
        await tx
          .deleteFrom('queue_workers')
          .where('queue', '=', key)
          .where('seen_at', '<', seen_at - expiryMs)
          .execute();
        await tx
          .insertInto('queue_workers')
          .values({ id, queue: key, identity, agents: JSON.stringify(agents), seen_at })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at }))
          .execute();
      });
    },
    remove: async () => {
      await store.write((tx) => tx.deleteFrom('queue_workers').where('id', '=', id).execute());
    },
  };
}

/** Lists the workers of a queue that run. @throws StoreError */
export async function listWorkers(
  store: Store,
  queue: WorkerQueue,
  now?: () => number,
): Promise<readonly RegisteredWorker[]> {
  const at = now?.() ?? (await readDatabaseClock(store.db, store));
  const rows = await store.db
    .selectFrom('queue_workers')
    .select(['identity', 'agents'])
    .where('queue', '=', toKey(queue))
    .where('seen_at', '>=', at - expiryMs)
    .execute();
  return rows.map(({ identity, agents }) => ({ identity, agents: JSON.parse(agents) as readonly RegisteredAgent[] }));
}

/**
 * Returns the agents of all workers of a queue; null if the store may lack one of them. While a version is rolled out, it does: a
 * worker that has stopped is listed by the server for a minute, and no longer by the store.
 *
 * @param listPollers returns the identities that the server lists for the queue; null if it lists none
 */
export async function listQueueAgents(
  workers: readonly RegisteredWorker[],
  listPollers: () => Promise<readonly string[] | null>,
): Promise<readonly RegisteredAgent[] | null> {
  if (workers.length === 0) return null;
  const pollers = await listPollers();
  if (pollers === null || pollers.length === 0) return null;
  const registered = new Set(workers.map(({ identity }) => identity));
  return pollers.every((poller) => registered.has(poller)) ? workers.flatMap(({ agents }) => agents) : null;
}

/** Returns the names that an error about an unknown agent has, the nearest first. */
export function listNearestAgents(agentName: string, agents: readonly RegisteredAgent[]): readonly string[] {
  const names = new Set(agents.flatMap(({ name, isOwned }) => (isOwned ? [] : [name])));
  return sortByNearness(agentName, [...names]).slice(0, defaults.namedAgents);
}

function toKey({ namespace, taskQueue }: WorkerQueue): string {
  return JSON.stringify([namespace, taskQueue]);
}
