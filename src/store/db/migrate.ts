/**
 * Migrates a store's tables to this version.
 *
 * M1 Forward only: the only way back is a backup.
 * M2 Each migration is applied once, however many processes open the store at the same time: all missing ones in one
 *    transaction, under a lock of the database, which is released when its process dies.
 * M3 A store that a newer version has migrated is not touched.
 */

import { type Kysely, sql, type Transaction } from 'kysely';
import { StoreError } from './errors.js';
import { type Migration, migrations } from './migrations/index.js';
import type { Store, Tables } from './store.js';
import type { StoreKind } from './store-option.js';

/** Any number that no other program uses in the same database. */
const migrationLockId = 6_027_104_411;

/** @throws {StoreError} `newer`, or any error of the database */
export async function migrate(store: Store, targets: readonly Migration[] = migrations): Promise<void> {
  // Usually nothing is missing: then the check needs no lock.
  const appliedMigrations = await findAppliedMigrations(store.db, store.kind);
  if (appliedMigrations !== null && listMissingMigrations(store, targets, appliedMigrations).length === 0) return;
  await store.write(async (tx) => {
    if (store.kind === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(migrationLockId)})`.execute(tx);
    const before = await findAppliedMigrations(tx, store.kind);
    if (before === null) await createMigrationsTable(tx, store);
    for (const migration of listMissingMigrations(store, targets, before)) {
      await migration.up(tx as unknown as Transaction<unknown>, store.kind);
      await tx.insertInto('longhand_migrations').values({ name: migration.name, applied_at: Date.now() }).execute();
    }
  });
}

function listMissingMigrations(
  store: Store,
  targets: readonly Migration[],
  applied: readonly string[] | null,
): readonly Migration[] {
  if (applied === null) return targets;
  const ahead = applied.find((name) => !targets.some((migration) => migration.name === name));
  if (ahead !== undefined) {
    throw new StoreError(
      'newer',
      `The store ${store.location} was migrated by a newer Longhand (${ahead}); this version would damage it. Upgrade Longhand here, or name another store.`,
    );
  }
  return targets.filter(({ name }) => !applied.includes(name));
}

/** Null for a store that was never migrated. */
export async function findAppliedMigrations(db: Kysely<Tables>, kind: StoreKind): Promise<readonly string[] | null> {
  const { rows } =
    kind === 'postgres'
      ? // Not `to_regclass`: its cache may be older than the lock that was awaited.
        await sql`select 1 from pg_tables where tablename = 'longhand_migrations' and schemaname = any(current_schemas(false))`.execute(
          db,
        )
      : await sql`select 1 from sqlite_master where name = 'longhand_migrations'`.execute(db);
  if (rows.length === 0) return null;
  const migrationRows = await db.selectFrom('longhand_migrations').select('name').execute();
  return migrationRows.map(({ name }) => name);
}

async function createMigrationsTable(tx: Transaction<Tables>, { kind, location }: Store): Promise<void> {
  // A database on a server may be shared on purpose; a file of another program was named by mistake.
  if (kind === 'sqlite' && (await sql`select 1 from sqlite_master`.execute(tx)).rows.length > 0) {
    throw new StoreError(
      'misnamed',
      `${location} is a database of another program. Name another file in LONGHAND_STORE.`,
    );
  }
  await tx.schema
    .createTable('longhand_migrations')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
}
