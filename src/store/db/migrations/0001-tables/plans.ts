/** The table of plans that worked. */

import type { Transaction } from 'kysely';

export interface PlanTables {
  reused_plans: {
    /** Digest of namespace, scope and goal. */
    id: string;
    namespace: string;
    /** The digest of everything that the chains share. */
    scope: string;
    /** Empty without a tenant. Columns, so that the plans of a tenant, a person or a chain can be erased. */
    tenant: string;
    person: string | null;
    chain_id: string;
    /** As JSON; with encryption, sealed. */
    content: string;
    stored_at: number;
    expires_at: number;
  };
}

export async function createPlanTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('reused_plans')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('person', 'text')
    .addColumn('chain_id', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('stored_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  const index = (name: string, columns: ('namespace' | 'scope' | 'stored_at' | 'chain_id' | 'expires_at')[]) =>
    schema.createIndex(`reused_plans_${name}`).on('reused_plans').columns(columns).execute();
  await index('scope', ['namespace', 'scope', 'stored_at']);
  await index('chain', ['namespace', 'chain_id']);
  await index('expires_at', ['expires_at']);
}
