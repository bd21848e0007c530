/** Opens a store, with its tables brought up to what this version needs. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, type Transaction } from 'kysely';
import { StoreError } from './errors.js';
import { migrate } from './migrate.js';
import { type Place, placeOf } from './place.js';
import { metAnother, postgresDialect } from './postgres.js';
import { sqliteDialect } from './sqlite.js';
import type { Store } from './store.js';
import type { Tables } from './tables.js';

/** How often a transaction is tried that meets others. */
const tries = 10;

/**
 * Opens the store at `where`, makes it if it is not there, and brings its tables up to this version.
 *
 * @param where `memory:`, `sqlite:<path>` or a path, or `postgres://…`
 * @throws {StoreError} that says what to do
 * @example
 * const store = await openStore('sqlite:/var/lib/longhand/longhand.db');
 */
export async function openStore(where: string): Promise<Store> {
  const store = await connectStore(where);
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The same, with its tables left as they are. @throws {StoreError} */
export async function connectStore(where: string): Promise<Store> {
  const place = placeOf(where);
  const db = new Kysely<Tables>({ dialect: await dialectFor(place) });
  const write = async <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (!metAnother(error)) throw error;
        if (attempt === tries) throw new StoreError('unavailable', `${place.shown} is too busy to write there.`, error);
      }
      await sleep(Math.random() * 2 ** attempt);
    }
  };
  const close = () => db.destroy();
  return { kind: place.kind === 'postgres' ? 'postgres' : 'sqlite', place: place.shown, db, write, close };
}

async function dialectFor(place: Place): Promise<Dialect> {
  switch (place.kind) {
    case 'memory':
      return sqliteDialect(null, place.shown);
    case 'file':
      return sqliteDialect(place.path, place.shown);
    case 'postgres':
      return postgresDialect(place);
  }
}
