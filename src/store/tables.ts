/**
 * All tables of a store, as Kysely types them: one interface for each part, beside the migration that makes them.
 *
 * Times are whole milliseconds, yes and no are 1 and 0, JSON is text: so both databases hold the same.
 */

import type { MigrationTables } from './migration.js';

export type Tables = MigrationTables;
