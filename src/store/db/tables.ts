/**
 * All tables of a store, as Kysely types them: one interface for each part, beside the statements that make them.
 *
 * Times are whole milliseconds, yes and no are 1 and 0, JSON is text: so both databases hold the same.
 */

import type { MigrationTables } from './migration.js';
import type { ArchiveTables } from './migrations/0001-tables/archive.js';
import type { AuditTables } from './migrations/0001-tables/audit.js';
import type { BlobTables } from './migrations/0001-tables/blobs.js';
import type { LedgerTables } from './migrations/0001-tables/ledger.js';
import type { ToolCacheTables } from './migrations/0001-tables/tool-cache.js';

export type Tables = MigrationTables & ArchiveTables & BlobTables & AuditTables & ToolCacheTables & LedgerTables;
