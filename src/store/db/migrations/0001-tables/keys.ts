/** The table of the gateway's API keys. A key itself is not in it: only the hash of its secret. */

import type { Transaction } from 'kysely';

export interface KeyTables {
  gateway_keys: {
    /** The readable part of the key. */
    id: string;
    namespace: string;
    /** Null for all tenants. */
    tenant: string | null;
    /** The user of a key; null for a service. */
    person: string | null;
    name: string;
    /** Hexadecimal SHA-256 of the secret. */
    secret_hash: string;
    /** Names, as JSON. */
    scopes: string;
    /** Names, as JSON; null if the caller states them. */
    roles: string | null;
    /** Names, as JSON. */
    views: string;
    reach: 'own' | 'all';
    requests_per_minute: number | null;
    created_by: string;
    /** Times are milliseconds since 1970. */
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    revoked_by: string | null;
    last_used_at: number | null;
  };
}

export async function createKeyTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('gateway_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text')
    .addColumn('person', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('roles', 'text')
    .addColumn('views', 'text', (column) => column.notNull())
    .addColumn('reach', 'text', (column) => column.notNull())
    .addColumn('requests_per_minute', 'integer')
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('revoked_by', 'text')
    .addColumn('last_used_at', 'bigint')
    .execute();
  await schema
    .createIndex('gateway_keys_by_time')
    .on('gateway_keys')
    .columns(['namespace', 'created_at', 'id'])
    .execute();
}
