/** All migrations, in their order. From the first release on, a released one is never changed, removed or moved. */

import { tables } from '../../migrations/0001-tables.js';
import type { Migration } from '../migration.js';

export const migrations: readonly Migration[] = [tables];
