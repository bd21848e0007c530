/**
 * The differences between SQLite and Postgres, and a Kysely dialect that hides them: what a column is called, which text both
 * can hold, and `StoreError`s instead of the error codes of two databases.
 */

import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, sql } from 'kysely';
import { isObject, toWellFormed } from '../../core/lib/json.js';
import type { ErrorClassifier } from './errors.js';

export type StoreKind = 'sqlite' | 'postgres';

/** The type of a column of bytes, for a migration. */
export function getBytesColumnType(kind: StoreKind) {
  return kind === 'postgres' ? sql`bytea` : sql`blob`;
}

/**
 * Text as both databases can hold it: SQLite breaks lone surrogates, and Postgres refuses U+0000. Both become U+FFFD, in what
 * is written and in what is searched for, so that a name is found by what it was given as. They are not left out: `acme` and
 * `acme` with a U+0000 behind it are two tenants.
 */
export function toStorableText(text: string): string {
  const whole = toWellFormed(text);
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** The same in all texts of a small value: names, not what somebody said. */
export function toStorable<T>(value: T): T {
  if (typeof value === 'string') return toStorableText(value) as T;
  if (Array.isArray(value)) return value.map(toStorable) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toStorable(member)])) as T;
}

export interface StoreDialectOptions {
  readonly classify: ErrorClassifier;
  /** Retries a statement that only has to wait. Default: no statement has to. */
  readonly retry?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The statement that begins a transaction. Default: Kysely's. */
  readonly beginStatement?: string;
}

/** Kysely's dialect, without savepoints and cursors, which no store uses. */
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
  // In place, as Kysely's own logging does it: what begins and ends a transaction runs through `executeQuery` too.
  const guardConnection = (connection: DatabaseConnection) => {
    if (guarded.has(connection)) return connection;
    guarded.add(connection);
    const execute = connection.executeQuery.bind(connection);
    // SQLite's driver throws before it returns a promise.
    connection.executeQuery = (query) =>
      guard(async () => execute({ ...query, parameters: query.parameters.map(toStorableParameter) }));
    connection.streamQuery = () => {
      throw new Error('A store is not read by cursor, which holds its only connection: read page by page, by key.');
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
    // The error that made it necessary is the one to report. A connection that cannot roll back is not kept (postgres.ts, P1).
    rollbackTransaction: (connection) => inner.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
  };
}

function toStorableParameter(parameter: unknown): unknown {
  return typeof parameter === 'string' ? toStorableText(parameter) : parameter;
}
