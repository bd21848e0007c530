/** The table of running workers with their agents, by task queue. */

import type { Transaction } from 'kysely';

export interface WorkerTables {
  queue_workers: {
    id: string;
    /** Namespace and task queue. */
    queue: string;
    /** What the server lists as a poller of the queue. */
    identity: string;
    /** Names, and whether tenants own them, as a list in JSON. */
    agents: string;
    /** Milliseconds since 1970. */
    seen_at: number;
  };
}

export async function createWorkerTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('queue_workers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('identity', 'text', (column) => column.notNull())
    .addColumn('agents', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('queue_workers_queue').on('queue_workers').column('queue').execute();
}
