/** All migrations, in their order. What has been released is never changed, taken away or moved. */

import type { Migration } from '../migration.js';

export const migrations: readonly Migration[] = [];
