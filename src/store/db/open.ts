/**
 * Opens a store and migrates its tables to this version; or inspects it without a change.
 *
 * O1 No statement reaches a store that is not up to date: the migration runs before the first statement, also when the
 *    database was down on opening and answers later.
 */

import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, sql, type Transaction } from 'kysely';
import { isStoreError, StoreError } from './errors.js';
import { findAppliedMigrations, migrate } from './migrate.js';
import { migrations } from './migrations/index.js';
import { createPostgresDialect, isTransactionConflict } from './postgres.js';
import { createPostgresListener } from './postgres-listener.js';
import { createSqliteDialect, loadSqliteDriver } from './sqlite.js';
import type { Store, Tables } from './store.js';
import { parseStoreLocation, type StoreLocation } from './store-location.js';

/** Attempts of a transaction that conflicts with others. */
const maxAttempts = 10;

export interface OpenStoreOptions {
  /** Receives the reason when the store is unavailable; the store is opened all the same and retried on each use. */
  readonly onUnavailable?: (reason: StoreError) => void;
}

/**
 * Opens a store, creates it if needed, and migrates its tables to this version.
 *
 * @param where `memory:`, `sqlite:<path>` or a path, or `postgres://…`
 * @throws {StoreError} with the fix in its message
 * @example
 * const store = await openStore('sqlite:/var/lib/longhand/longhand.db');
 */
export async function openStore(where: string, { onUnavailable }: OpenStoreOptions = {}): Promise<Store> {
  const place = parseStoreLocation(where);
  const dialect = await createDialect(place);
  const store = createStore(addMigration(dialect, place), place);
  try {
    await store.db.connection().execute(async () => {});
  } catch (error) {
    if (onUnavailable === undefined || !isStoreError(error)) {
      await store.close();
      throw error;
    }
    onUnavailable(error);
  }
  return store;
}

/** Opens a store without migrating it. @throws {StoreError} */
export async function connectStore(where: string): Promise<Store> {
  const place = parseStoreLocation(where);
  return createStore(await createDialect(place), place);
}

async function createDialect(place: StoreLocation): Promise<Dialect> {
  switch (place.kind) {
    case 'memory':
      return createSqliteDialect(null, place.display);
    case 'file':
      return createSqliteDialect(place.path, place.display);
    case 'postgres':
      return createPostgresDialect(place);
  }
}

/** O1. Kysely calls `init` before each use until it succeeds. */
function addMigration(dialect: Dialect, place: StoreLocation): Dialect {
  const driver = dialect.createDriver();
  const nothing = async () => {};
  const inner = { ...dialect, createDriver: () => ({ ...driver, init: nothing, destroy: nothing }) };
  const init = async () => {
    await driver.init();
    try {
      await migrate(createStore(inner, place));
    } catch (error) {
      await driver.destroy();
      throw error;
    }
  };
  return { ...dialect, createDriver: () => ({ ...driver, init }) };
}

function createStore(dialect: Dialect, place: StoreLocation): Store {
  const db = new Kysely<Tables>({ dialect });
  const write = async <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (!isTransactionConflict(error)) throw error;
        if (attempt === maxAttempts)
          throw new StoreError('unavailable', `The store ${place.display} is too busy to write. Retry later.`, error);
      }
      await sleep(Math.random() * 2 ** attempt);
    }
  };
  const close = () => db.destroy();
  const { display: location } = place;
  if (place.kind !== 'postgres') return { kind: 'sqlite', location, db, write, listener: null, close };
  return { kind: 'postgres', location, db, write, listener: createPostgresListener(place), close };
}

export type StoreInspection =
  /** It is created when a worker first starts. */
  | { readonly kind: 'missing'; readonly location: string }
  | {
      readonly kind: 'found';
      readonly location: string;
      readonly bytes: number;
      /** Number of migrations that the next opening applies. */
      readonly pendingMigrations: number;
      /** A migration that this version does not know: a newer version applied it. */
      readonly unknownMigration: string | null;
    };

/** Reports on a store without changing it. @throws {StoreError} */
export async function inspectStore(where: string): Promise<StoreInspection> {
  const place = parseStoreLocation(where);
  if (place.kind === 'file' && statSync(place.path, { throwIfNoEntry: false }) === undefined) {
    await loadSqliteDriver();
    return { kind: 'missing', location: place.display };
  }
  const store = await connectStore(where);
  try {
    const applied = (await findAppliedMigrations(store.db, store.kind)) ?? [];
    const known = migrations.map(({ name }) => name);
    return {
      kind: 'found',
      location: store.location,
      bytes: await readSize(store),
      pendingMigrations: known.filter((name) => !applied.includes(name)).length,
      unknownMigration: applied.find((name) => !known.includes(name)) ?? null,
    };
  } finally {
    await store.close();
  }
}

/** Returns the size of the database, including the tables of other programs. */
async function readSize({ db, kind }: Store): Promise<number> {
  const query =
    kind === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
      : sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  return (await query.execute(db)).rows[0]?.bytes ?? 0;
}
