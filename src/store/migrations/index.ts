/** All migrations, in their order. What has been released is never changed, taken away or moved. */

import type { Migration } from '../migration.js';
import { blobs } from './0002-blobs.js';
import { audit } from './0003-audit.js';

export const migrations: readonly Migration[] = [blobs, audit];
