/** A process that opens a store and applies migrations that fail when applied twice. */

import { migrate } from '../../../src/store/db/migrate.js';
import { connectStore } from '../../../src/store/db/open.js';
import { waitUntilReady } from '../../support/store-process.js';
import { someMigrations } from './some-migrations.js';

const store = await connectStore(process.argv[2] ?? '');
await waitUntilReady();
await migrate(store, someMigrations);
await store.close();
