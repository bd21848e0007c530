/**
 * Opens a store, with its tables brought up to what this version needs.
 *
 * O1 No statement reaches a store that is not up to date: its tables are brought forward before the first one, also when
 *    the database was down as the store was opened and answers only later.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, type Transaction } from 'kysely';
import { isStoreError, StoreError } from './errors.js';
import { migrate } from './migrate.js';
import { type Place, placeOf } from './place.js';
import { metAnother, postgresDialect } from './postgres.js';
import { sqliteDialect } from './sqlite.js';
import type { Store } from './store.js';
import type { Tables } from './tables.js';

/** How often a transaction is tried that meets others. */
const tries = 10;

export interface OpenOptions {
  /** Told why the store cannot be used now, which is then opened all the same: it is tried again with each use. */
  readonly later?: (reason: StoreError) => void;
}

/**
 * Opens the store at `where`, makes it if it is not there, and brings its tables up to this version.
 *
 * @param where `memory:`, `sqlite:<path>` or a path, or `postgres://…`
 * @throws {StoreError} that says what to do; with `later` only what no later try can mend
 * @example
 * const store = await openStore('sqlite:/var/lib/longhand/longhand.db');
 */
export async function openStore(where: string, { later }: OpenOptions = {}): Promise<Store> {
  const place = placeOf(where);
  const dialect = await dialectFor(place);
  const store = storeOn(migratedBefore(dialect, place), place);
  try {
    await store.db.connection().execute(async () => {});
  } catch (error) {
    if (later === undefined || !isStoreError(error)) {
      await store.close();
      throw error;
    }
    later(error);
  }
  return store;
}

/** A store with its tables as they are. @throws {StoreError} */
export async function connectStore(where: string): Promise<Store> {
  const place = placeOf(where);
  return storeOn(await dialectFor(place), place);
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

/** O1: Kysely begins each use with `init`, until it succeeds. */
function migratedBefore(dialect: Dialect, place: Place): Dialect {
  const driver = dialect.createDriver();
  const nothing = async () => {};
  const inner = { ...dialect, createDriver: () => ({ ...driver, init: nothing, destroy: nothing }) };
  const init = async () => {
    await driver.init();
    try {
      await migrate(storeOn(inner, place));
    } catch (error) {
      await driver.destroy();
      throw error;
    }
  };
  return { ...dialect, createDriver: () => ({ ...driver, init }) };
}

function storeOn(dialect: Dialect, place: Place): Store {
  const db = new Kysely<Tables>({ dialect });
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
