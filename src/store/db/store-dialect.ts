/**
 * A dialect of Kysely's whose driver throws a store's faults as `StoreError`s, wherever they come up: callers need not know
 * the error codes of two databases. All text that goes into a statement is made storable on the way.
 */

import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver } from 'kysely';
import type { Classify } from './errors.js';
import { storableText } from './storable.js';

export interface StoreDialectOptions {
  readonly classify: Classify;
  /** Retries a statement that only has to wait. Default: no statement has to. */
  readonly patiently?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The statement that begins a transaction. Default: Kysely's. */
  readonly begin?: string;
}

/** Kysely's dialect, without savepoints and cursors, which no store uses. */
export function storeDialect(dialect: Dialect, options: StoreDialectOptions): Dialect {
  return {
    createDriver: () => storeDriver(dialect.createDriver(), options),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

function storeDriver(inner: Driver, { classify, patiently = (work) => work(), begin }: StoreDialectOptions): Driver {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await patiently(work);
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
      guard(async () => execute({ ...query, parameters: query.parameters.map(storableParameter) }));
    connection.streamQuery = () => {
      throw new Error('A store is not read by cursor, which holds its only connection: read page by page, by key.');
    };
    return connection;
  };
  return {
    init: () => guard(() => inner.init()),
    acquireConnection: () => guard(async () => guardConnection(await inner.acquireConnection())),
    beginTransaction: async (connection, settings) => {
      if (begin === undefined) await inner.beginTransaction(connection, settings);
      else await connection.executeQuery(CompiledQuery.raw(begin));
    },
    commitTransaction: (connection) => inner.commitTransaction(connection),
    // The error that made it necessary is the one to report. A connection that cannot roll back is not kept (postgres.ts, P1).
    rollbackTransaction: (connection) => inner.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
  };
}

function storableParameter(parameter: unknown): unknown {
  return typeof parameter === 'string' ? storableText(parameter) : parameter;
}
