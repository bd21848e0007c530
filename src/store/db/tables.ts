/**
 * All tables of a store, as Kysely types them: one interface for each part, beside the migration that makes them.
 *
 * Times are whole milliseconds, yes and no are 1 and 0, JSON is text: so both databases hold the same.
 */

import type { MigrationTables } from './migration.js';
import type { ArchiveTables } from './migrations/0001-archive.js';
import type { BlobTables } from './migrations/0002-blobs.js';
import type { AuditTables } from './migrations/0003-audit.js';
import type { ToolCacheTables } from './migrations/0004-tool-cache.js';
import type { LedgerTables } from './migrations/0005-ledger.js';

export type Tables = MigrationTables & ArchiveTables & BlobTables & AuditTables & ToolCacheTables & LedgerTables;
