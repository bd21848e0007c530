/** The table of webhooks: where events of a tenant's chains are sent. */

import type { Transaction } from 'kysely';

export interface WebhookTables {
  webhooks: {
    id: string;
    namespace: string;
    /** Empty for chains without a tenant. */
    tenant: string;
    url: string;
    /** With encryption, sealed. */
    secret: string;
    /** Types of events, as JSON. */
    events: string;
    /** Names of agents, as JSON; empty for all. */
    agents: string;
    /** Whether the ends of sub-chains are sent, too. */
    sub_chains: number;
    active: number;
    created_at: number;
    /** When and how the last attempt ended; null before the first. */
    last_at: number | null;
    last_result: string | null;
  };
}

export async function createWebhookTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('agents', 'text', (column) => column.notNull())
    .addColumn('sub_chains', 'integer', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint')
    .addColumn('last_result', 'text')
    .execute();
  await schema.createIndex('webhooks_by_tenant').on('webhooks').columns(['namespace', 'tenant']).execute();
}
