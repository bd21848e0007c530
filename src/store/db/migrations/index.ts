/** All migrations, in their order. From the first release on, a released one is never changed, removed or moved. */

import type { Migration } from '../migration.js';
import { tables } from './0001-tables.js';

export const migrations: readonly Migration[] = [tables];
