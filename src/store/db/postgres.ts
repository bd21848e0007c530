/**
 * A store in Postgres.
 *
 * A lost connection does not break the pool: its user gets an error, and the next user another connection.
 *
 * P1 A connection is reused only when it is idle: one that may have an open transaction or a running statement is closed.
 */

import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import { getErrorCode } from '../../core/lib/index.js';
import { requirePackages } from '../../package/index.js';
import { StoreError, type StoreErrorKind } from './errors.js';
import { createStoreDialect } from './store-dialect.js';
import type { StoreLocation } from './store-location.js';

/** Per process. */
const maxConnections = 8;

/** Time to open a connection. */
const connectTimeoutMs = 5_000;

/** The server's timeout of a statement, and the longer one of the client, which waits for the server's error. */
const statementTimeoutMs = 60_000;
const queryTimeoutMs = 90_000;

/**
 * Sets the timeout, unless the address, the user or the database sets one. It is not a start-up parameter, because poolers such
 * as PgBouncer reject unknown ones.
 */
const statementTimeoutSql = `select set_config('statement_timeout', '${statementTimeoutMs}', false) where current_setting('statement_timeout') = '0'`;

/** `int8` and `numeric`. The driver returns them as text, because they may exceed a number; ours never do. */
const numericTypeIds = new Set([20, 1700]);

/** @throws {LonghandError} `package_missing` */
export function createPostgresDialect({ url, display }: Extract<StoreLocation, { kind: 'postgres' }>): Dialect {
  requirePackages('A store in Postgres', ['pg']);
  const dialect = new PostgresDialect({
    pool: async () => {
      // Loaded on first use: most processes have no store in Postgres.
      const { default: pg } = await import('pg');
      const { getTypeParser } = pg.types;
      const parserOf = (id: number, format?: 'text' | 'binary') =>
        numericTypeIds.has(id) ? Number : getTypeParser(id, format as 'text');
      const pool = new pg.Pool({
        application_name: 'longhand',
        max: maxConnections,
        connectionTimeoutMillis: connectTimeoutMs,
        query_timeout: queryTimeoutMs,
        keepAlive: true,
        onConnect: (client) => client.query(statementTimeoutSql).then(() => {}),
        types: { getTypeParser: parserOf as typeof getTypeParser },
        connectionString: url,
      });
      // Without a listener, a restart of the server would end this process.
      pool.on('error', () => {});
      pool.on('connect', (client) => client.on('error', () => {}));
      return { connect: async () => guardClient(await pool.connect()), end: () => pool.end() };
    },
  });
  return createStoreDialect(dialect, { classify: (error) => classifyPostgresError(error, display) });
}

/** P1. */
function guardClient(client: PoolClient): PostgresPoolClient {
  let unanswered = false;
  const handleError = (error: Error): never => {
    unanswered ||= queryTimeoutPattern.test(error.message);
    // A rollback would wait for the statement, which still runs.
    if (unanswered) void client.end();
    throw error;
  };
  return {
    // The type includes cursors, which are not used.
    query: (text: unknown, values: readonly unknown[] = []) =>
      client.query(text as string, [...values]).catch(handleError) as never,
    release: () => client.release(unanswered || client.getTransactionStatus() !== 'I'),
  };
}

/** The driver's message when it stops waiting. */
const queryTimeoutPattern = /query read timeout/i;

/** Whether a transaction conflicted with another one, and would succeed alone. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(getErrorCode(error));
}

/** Rules by the beginning of the error code: those of Postgres, by class, then those of the network. */
const errorRules: readonly (readonly [RegExp, StoreErrorKind, string])[] = [
  [/^28/, 'denied', 'rejected the login. Check user and password in its address'],
  [/^42501/, 'denied', 'denied the operation. Grant the user the right to create and write tables'],
  [/^3D000/, 'missing', 'does not exist. Create it with `createdb`, or name another in LONGHAND_STORE'],
  [/^(53100|58030)/, 'full', 'is full. Free space on its disk'],
  [/^25006/, 'notWritable', 'is read-only, as a standby is. Name the primary'],
  [
    /^57014/,
    'unavailable',
    'cancelled a statement that took too long. Check what blocks it (`select * from pg_stat_activity`)',
  ],
  [/^XX00[12]/, 'corrupt', 'is damaged. Restore a backup'],
  [/^53300/, 'unavailable', 'has no free connection. Raise max_connections, or run fewer workers'],
  [/^(08|53|57)/, 'unavailable', 'closed the connection. It is retried when the store is next used'],
  [
    /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_)/,
    'unavailable',
    'does not answer. Check that it is running and that its address is right',
  ],
];

/** Messages of the driver, without a code, for a connection that has ended or could not be opened. */
const connectionLostPattern =
  /connection terminated|timeout exceeded when trying to connect|not queryable|query read timeout|connection ended/i;

function classifyPostgresError(error: unknown, place: string): StoreError | null {
  const code = getErrorCode(error);
  const createError = (kind: StoreErrorKind, what: string) =>
    new StoreError(kind, `The store ${place} ${what} (${code || (error as Error).message}).`, error);
  const known = errorRules.find(([form]) => form.test(code));
  if (known !== undefined) return createError(known[1], known[2]);
  if (!(error instanceof Error) || code !== '') return null;
  if (error.message.startsWith('SASL')) return createError('denied', 'needs a password. Add it to its address');
  return connectionLostPattern.test(error.message)
    ? createError('unavailable', 'does not answer. Check that it is running')
    : null;
}
