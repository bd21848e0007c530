/** The table of cached tool results. */

import type { Transaction } from 'kysely';

export interface ToolCacheTables {
  tool_cache: {
    /** Digest of everything that makes two calls equal. */
    key: string;
    namespace: string;
    /** Empty without a tenant. A column, so that a tenant's results can be erased. */
    tenant: string;
    tool: string;
    /** As JSON. */
    value: string;
    stored_at: number;
    expires_at: number;
  };
}

export async function createToolCacheTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('tool_cache')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('stored_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('tool_cache_expires_at').on('tool_cache').column('expires_at').execute();
  await schema.createIndex('tool_cache_tenant').on('tool_cache').columns(['namespace', 'tenant']).execute();
}
