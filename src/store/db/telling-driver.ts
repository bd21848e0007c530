/**
 * A driver of Kysely's that tells a store's faults as `StoreError`s, wherever they come up: so that nobody who reads or
 * writes has to know the codes of two databases. All text that goes into a statement is made storable on the way.
 */

import type { DatabaseConnection, Driver, QueryCompiler, QueryResult, TransactionSettings } from 'kysely';
import type { Classify } from './errors.js';
import { storableText } from './storable.js';

type CompileQuery = QueryCompiler['compileQuery'];

export interface Telling {
  readonly classify: Classify;
  /** Tries again what only has to wait. Default: nothing has to. */
  readonly patiently?: <T>(work: () => Promise<T>) => Promise<T>;
}

export function tellingDriver(inner: Driver, { classify, patiently = (work) => work() }: Telling): Driver {
  const tell: Tell = async (work) => {
    try {
      return await patiently(work);
    } catch (error) {
      throw classify(error) ?? error;
    }
  };
  const innerOf = (connection: DatabaseConnection) => (connection as TellingConnection).inner;
  return {
    init: () => tell(() => inner.init()),
    acquireConnection: () => tell(async () => new TellingConnection(await inner.acquireConnection(), tell)),
    beginTransaction: (connection, settings: TransactionSettings) =>
      tell(() => inner.beginTransaction(innerOf(connection), settings)),
    commitTransaction: (connection) => tell(() => inner.commitTransaction(innerOf(connection))),
    // What made it necessary is what is worth telling. A connection that cannot roll back is not kept (postgres.ts, P1).
    rollbackTransaction: (connection) => inner.rollbackTransaction(innerOf(connection)).catch(() => undefined),
    savepoint: (connection, name, compile: CompileQuery) =>
      tell(async () => inner.savepoint?.(innerOf(connection), name, compile)),
    rollbackToSavepoint: (connection, name, compile: CompileQuery) =>
      tell(async () => inner.rollbackToSavepoint?.(innerOf(connection), name, compile)),
    releaseSavepoint: (connection, name, compile: CompileQuery) =>
      tell(async () => inner.releaseSavepoint?.(innerOf(connection), name, compile)),
    releaseConnection: (connection) => inner.releaseConnection(innerOf(connection)),
    destroy: () => inner.destroy(),
  };
}

type Tell = <T>(work: () => Promise<T>) => Promise<T>;

class TellingConnection implements DatabaseConnection {
  constructor(
    readonly inner: DatabaseConnection,
    private readonly tell: Tell,
  ) {}

  executeQuery: DatabaseConnection['executeQuery'] = (query) =>
    // SQLite's driver throws before it gives out a promise.
    this.tell(async () => this.inner.executeQuery({ ...query, parameters: query.parameters.map(storableParameter) }));

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A store is not read by cursor, which holds its only connection: read page by page, by key.');
  }
}

function storableParameter(parameter: unknown): unknown {
  return typeof parameter === 'string' ? storableText(parameter) : parameter;
}
