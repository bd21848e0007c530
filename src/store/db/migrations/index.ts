/** All migrations, in order. From the first release on, a released migration is never changed, removed or moved. */

import type { Transaction } from 'kysely';
import type { StoreKind } from '../store-option.js';
import { createArchiveTables } from './0001-tables/archive.js';
import { createAuditTables } from './0001-tables/audit.js';
import { createBlobTables } from './0001-tables/blobs.js';
import { createKeyTables } from './0001-tables/keys.js';
import { createLedgerTables } from './0001-tables/ledger.js';
import { createMemoryTables } from './0001-tables/memories.js';
import { createPlanTables } from './0001-tables/plans.js';
import { createPreferenceTables } from './0001-tables/preferences.js';
import { createToolCacheTables } from './0001-tables/tool-cache.js';
import { createWebhookTables } from './0001-tables/webhooks.js';
import { createWorkerTables } from './0001-tables/workers.js';

/** One step of a store's tables to the next version. */
export interface Migration {
  /** Four digits and a word, `0001-tables`. Migrations are applied in this order. */
  readonly name: string;
  /** Untyped, because the types of today's tables may differ from those of that version. */
  readonly up: (tx: Transaction<unknown>, kind: StoreKind) => Promise<void>;
}

export interface MigrationTables {
  longhand_migrations: { name: string; applied_at: number };
}

/** The first migration: creates all tables. */
const tables: Migration = {
  name: '0001-tables',
  up: async (tx, kind) => {
    await createArchiveTables(tx, kind);
    await createBlobTables(tx, kind);
    await createAuditTables(tx, kind);
    await createToolCacheTables(tx);
    await createLedgerTables(tx);
    await createPreferenceTables(tx);
    await createPlanTables(tx);
    await createMemoryTables(tx);
    await createKeyTables(tx);
    await createWebhookTables(tx);
    await createWorkerTables(tx);
  },
};

export const migrations: readonly Migration[] = [tables];
