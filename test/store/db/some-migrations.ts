/** Migrations that fail when they are applied twice. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Migration } from '../../../src/store/db/migrations/index.js';

export const someMigrations: readonly Migration[] = ['0001-one', '0002-two', '0003-three'].map((name) => ({
  name,
  up: async (tx) => {
    // Long enough for others to interfere, if they could.
    await sleep(50);
    await tx.schema
      .createTable(`made_${name.slice(5)}`)
      .addColumn('id', 'integer')
      .execute();
  },
}));
