/** The first migration: all tables, part by part. */

import type { Migration } from '../migration.js';
import { createArchive } from './0001-tables/archive.js';
import { createAudit } from './0001-tables/audit.js';
import { createBlobs } from './0001-tables/blobs.js';
import { createLedger } from './0001-tables/ledger.js';
import { createToolCache } from './0001-tables/tool-cache.js';

export const tables: Migration = {
  name: '0001-tables',
  up: async (tx, kind) => {
    await createArchive(tx, kind);
    await createBlobs(tx, kind);
    await createAudit(tx, kind);
    await createToolCache(tx);
    await createLedger(tx);
  },
};
