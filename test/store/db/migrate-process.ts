/** A process that opens a store and applies migrations that fail when applied twice. */

import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../../src/store/db/migrate.js';
import type { Migration } from '../../../src/store/db/migrations/index.js';
import { connectStore } from '../../../src/store/db/open.js';
import { waitUntilReady } from '../../support/store-process.js';

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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const store = await connectStore(process.argv[2] ?? '');
  await waitUntilReady();
  await migrate(store, someMigrations);
  await store.close();
}
