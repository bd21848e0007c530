/**
 * A store in Postgres.
 *
 * A connection that is lost is no loss of the pool: whoever used it is told, and the next one gets another.
 *
 * P1 Nobody is given a connection that an earlier transaction may still be open on, or a statement still running: one that
 *    has not told how its last statement ended, or does not say that it is idle, is ended instead of kept.
 */

import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import { getErrorCode, StoreError, type StoreErrorKind } from './errors.js';
import { createStoreDialect } from './store-dialect.js';
import type { StoreLocation } from './store-location.js';

/** At once, of one process. */
const maxConnections = 8;

/** Milliseconds for a connection to come about. */
const connectTimeoutMs = 5_000;

/** Milliseconds after which the server gives a statement up, and after which we no longer wait for it to say so. */
const statementTimeoutMs = 60_000;
const queryTimeoutMs = 90_000;

/**
 * What the address, the user or the database says already stays. Not among what a connection begins with: poolers such as
 * PgBouncer refuse to begin with what they do not know.
 */
const statementTimeoutSql = `select set_config('statement_timeout', '${statementTimeoutMs}', false) where current_setting('statement_timeout') = '0'`;

/** As text because they may be too large for a number: ours never are. The types are `int8` and `numeric`. */
const numericTypeIds = new Set([20, 1700]);

export function createPostgresDialect({ url, display }: Extract<StoreLocation, { kind: 'postgres' }>): Dialect {
  const dialect = new PostgresDialect({
    pool: async () => {
      // Not before it is needed: most who load this keep no store in Postgres.
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
      // Without someone who listens, a server that restarts would end this process.
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
  const seen = (error: Error): never => {
    unanswered ||= queryTimeoutPattern.test(error.message);
    // A rollback would wait behind the statement, which still runs.
    if (unanswered) void client.end();
    throw error;
  };
  return {
    // Its type has cursors, too: none is asked for.
    query: (text: unknown, values: readonly unknown[] = []) =>
      client.query(text as string, [...values]).catch(seen) as never,
    release: () => client.release(unanswered || client.getTransactionStatus() !== 'I'),
  };
}

/** What the driver says when it stops waiting. */
const queryTimeoutPattern = /query read timeout/i;

/** Whether it met another transaction, and would do alone. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(getErrorCode(error));
}

/** By the beginning of the code: Postgres' own, by their class, then the network's. */
const errorRules: readonly (readonly [RegExp, StoreErrorKind, string])[] = [
  [/^28/, 'denied', 'does not let us in. Check user and password in its address'],
  [/^42501/, 'denied', 'lets us in, but not do this. Give the user the right to make and write tables there'],
  [/^3D000/, 'missing', 'does not exist. Make it with `createdb`, or name another in LONGHAND_STORE'],
  [/^(53100|58030)/, 'full', 'has no room left on its disk. Make room there'],
  [/^25006/, 'notWritable', 'is read-only, as a standby is. Name the primary'],
  [
    /^57014/,
    'unavailable',
    'gave up a statement that took too long. See what holds it up there (`select * from pg_stat_activity`)',
  ],
  [/^XX00[12]/, 'corrupt', 'is damaged. Put back a copy of it'],
  [
    /^53300/,
    'unavailable',
    'has no connection left for us. Allow more of them (max_connections), or run fewer workers',
  ],
  [/^(08|53|57)/, 'unavailable', 'ended the connection. It is tried again when the store is next needed'],
  [
    /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_)/,
    'unavailable',
    'does not answer. See that it runs, and that its address is right',
  ],
];

/** What the driver says without a code, when a connection has ended or never came about. */
const connectionLostPattern =
  /connection terminated|timeout exceeded when trying to connect|not queryable|query read timeout|connection ended/i;

function classifyPostgresError(error: unknown, place: string): StoreError | null {
  const code = getErrorCode(error);
  const told = (kind: StoreErrorKind, what: string) =>
    new StoreError(kind, `The store ${place} ${what} (${code || (error as Error).message}).`, error);
  const known = errorRules.find(([form]) => form.test(code));
  if (known !== undefined) return told(known[1], known[2]);
  if (!(error instanceof Error) || code !== '') return null;
  if (error.message.startsWith('SASL')) return told('denied', 'wants a password. Write it into its address');
  return connectionLostPattern.test(error.message) ? told('unavailable', 'does not answer. See that it runs') : null;
}
