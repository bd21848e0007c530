/** The table of what agents remember between chains. */

import type { Transaction } from 'kysely';

export interface MemoryTables {
  memories: {
    namespace: string;
    /** Empty without a tenant. */
    tenant: string;
    agent: string;
    /** The user whose chains alone recall it; empty for all users of the tenant. */
    owner: string;
    key: string;
    text: string;
    /** The chain that wrote it, and its user: their erasure deletes it. */
    chain_id: string;
    person: string | null;
    stored_at: number;
    expires_at: number;
  };
}

export async function createMemoryTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('memories')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'text', (column) => column.notNull())
    .addColumn('person', 'text')
    .addColumn('stored_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('memories_key', ['namespace', 'tenant', 'agent', 'owner', 'key'])
    .execute();
  await schema.createIndex('memories_expires_at').on('memories').column('expires_at').execute();
}
