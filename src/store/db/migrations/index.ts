/** All migrations, in their order. What has been released is never changed, taken away or moved. */

import type { Migration } from '../migration.js';
import { archive } from './0001-archive.js';
import { blobs } from './0002-blobs.js';
import { audit } from './0003-audit.js';
import { toolCache } from './0004-tool-cache.js';
import { ledger } from './0005-ledger.js';

export const migrations: readonly Migration[] = [archive, blobs, audit, toolCache, ledger];
