/**
 * A Kysely dialect that hides the differences between SQLite and Postgres: column types, storable text, and `StoreError`s
 * instead of the error codes of two databases.
 */

import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, sql } from 'kysely';
import { isObject, LonghandError, toWellFormed } from '../../core/lib/index.js';
import type { ErrorClassifier } from './errors.js';
import type { StoreKind } from './store-option.js';

/** Returns the column type for bytes, for a migration. */
export function getBytesColumnType(kind: StoreKind) {
  return kind === 'postgres' ? sql`bytea` : sql`blob`;
}

/**
 * Makes text storable in both databases: SQLite corrupts lone surrogates, and Postgres rejects U+0000. Both become U+FFFD, in
 * written values and in search values, so that a name is found as it was given. They are not removed: `acme` and `acme`
 * followed by U+0000 are two tenants.
 */
export function toStorableText(text: string): string {
  const whole = toWellFormed(text);
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** Does the same for all texts of a small value. For names, not for contents. */
export function toStorable<T>(value: T): T {
  if (typeof value === 'string') return toStorableText(value) as T;
  if (Array.isArray(value)) return value.map(toStorable) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toStorable(member)])) as T;
}

export interface StoreDialectOptions {
  readonly classify: ErrorClassifier;
  /** Retries a statement that has to wait for a lock. Default: no retry. */
  readonly retry?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The statement that starts a transaction. Default: Kysely's. */
  readonly beginStatement?: string;
}

/** Wraps a Kysely dialect. Savepoints and cursors, which no store uses, are not supported. */
export function createStoreDialect(dialect: Dialect, options: StoreDialectOptions): Dialect {
  return {
    createDriver: () => createStoreDriver(dialect.createDriver(), options),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

function createStoreDriver(
  inner: Driver,
  { classify, retry = (work) => work(), beginStatement }: StoreDialectOptions,
): Driver {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await retry(work);
    } catch (error) {
      throw classify(error) ?? error;
    }
  };
  const guarded = new WeakSet<DatabaseConnection>();
  // In place, as Kysely's own logging does: statements that start and end a transaction call `executeQuery`, too.
  const guardConnection = (connection: DatabaseConnection) => {
    if (guarded.has(connection)) return connection;
    guarded.add(connection);
    const execute = connection.executeQuery.bind(connection);
    // SQLite's driver throws before it returns a promise.
    connection.executeQuery = (query) =>
      guard(async () => execute({ ...query, parameters: query.parameters.map(toStorableParameter) }));
    connection.streamQuery = () => {
      throw new LonghandError('internal', 'A store cannot be streamed: the cursor would block its only connection.');
    };
    return connection;
  };
  return {
    init: () => guard(() => inner.init()),
    acquireConnection: () => guard(async () => guardConnection(await inner.acquireConnection())),
    beginTransaction: async (connection, settings) => {
      if (beginStatement === undefined) await inner.beginTransaction(connection, settings);
      else await connection.executeQuery(CompiledQuery.raw(beginStatement));
    },
    commitTransaction: (connection) => inner.commitTransaction(connection),
    // The error that caused the rollback is reported. A connection that cannot roll back is closed (postgres.ts, P1).
    rollbackTransaction: (connection) => inner.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
  };
}

function toStorableParameter(parameter: unknown): unknown {
  return typeof parameter === 'string' ? toStorableText(parameter) : parameter;
}
