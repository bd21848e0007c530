/**
 * Executes one statement in Postgres, on a connection of its own: settings, locks and prepared statements of a call are gone
 * with it.
 *
 * The extended protocol executes one statement at most. A read runs in a read-only transaction that is never committed.
 */

import type { Client, CustomTypesConfig, DatabaseError, QueryArrayConfig } from 'pg';
import { getErrorCode } from '../../../core/lib/index.js';
import { createCancelFailure, createTimeoutFailure, SqlFailure, type SqlRequest } from './request.js';
import { createRowCollector, type SqlResult } from './result.js';

export interface PostgresRequest extends SqlRequest {
  readonly url: string;
  /** Most cost of the plan, in the planner's unit; null for no limit. */
  readonly maxCost: number | null;
  readonly allowSuperuser: boolean;
}

const connectTimeoutMs = 5_000;
const cancelTimeoutMs = 3_000;
/** The server's own time limit, with its error, must come first. */
const extraMs = 2_000;
/** Bytes of one message of the server beyond the limit of the result: more is not read into memory. */
const extraBytes = 1_000_000;

type Postgres = typeof import('pg')['default'];

/** @throws {SqlFailure} */
export async function queryPostgres(request: PostgresRequest): Promise<SqlResult> {
  if (request.signal.aborted) throw createCancelFailure();
  const { pg, client } = await prepareClient(request.url);
  const session: Session = { stage: 'open', pid: null, isGivenUp: false };
  const limit = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs + connectTimeoutMs + extraMs)]);
  try {
    return await Promise.race([executeStatement(pg, client, request, session), waitForAbort(limit)]);
  } catch (error) {
    const isCommitting = session.stage === 'commit' && !isRolledBack(error);
    // Before anything is awaited: a statement that ends now must not be committed.
    session.isGivenUp = true;
    if (limit.aborted && session.pid !== null) await cancelStatement(pg, request.url, session.pid);
    if (isCommitting) {
      throw new SqlFailure('unknown', 'The database did not confirm that the changes were committed.', error);
    }
    if (request.signal.aborted) throw new SqlFailure('cancelled', 'The statement was cancelled.', error);
    if (limit.aborted) throw createTimeoutFailure(request.timeoutMs);
    throw toFailure(error, request, session);
  } finally {
    client.end().catch(() => {});
  }
}

interface Session {
  isGivenUp: boolean;
  stage: 'open' | 'statement' | 'commit' | 'done';
  /** Id of the server's process. */
  pid: number | null;
}

/** @throws {SqlFailure} `misconfigured`, without the address */
async function prepareClient(url: string): Promise<{ readonly pg: Postgres; readonly client: Client }> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    throw new SqlFailure('misconfigured', 'sqlQuery with url needs the package pg. Run `npm install pg`.', error);
  });
  try {
    return { pg, client: createClient(pg, url) };
  } catch (error) {
    const message = 'The address of the database is invalid. It must be postgres://user:password@host/name.';
    throw new SqlFailure('misconfigured', message, error);
  }
}

function createClient({ Client }: Postgres, url: string): Client {
  const client = new Client({
    connectionString: url,
    application_name: 'longhand sql_query',
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // The error of a running query is thrown by it; without a listener, a lost connection would end the process.
  client.on('error', () => {});
  return client;
}

async function executeStatement(pg: Postgres, client: Client, request: PostgresRequest, session: Session) {
  const { sql, params, canWrite, limits, maxCost } = request;
  await client.connect();
  await client.query(`begin ${canWrite ? 'read write' : 'read only'}`);
  session.pid = await prepareSession(client, request);
  session.stage = 'statement';
  if (maxCost !== null) await checkCost(pg, client, request, maxCost);
  const collector = createRowCollector(limits);
  const { columns, changed } = await readRows(
    pg,
    client,
    { text: sql, values: [...params] },
    (row) => {
      // A statement that changes rows must run to its end.
      return collector.add(row) || canWrite;
    },
    limits.maxBytes,
  );
  const problem = canWrite ? null : collector.findProblem();
  if (problem !== null) throw new SqlFailure('rejected', problem);
  if (canWrite) {
    if (session.isGivenUp) throw createCancelFailure();
    session.stage = 'commit';
    await client.query('commit');
  }
  session.stage = 'done';
  return collector.finish(columns, changed);
}

/** Sets the limits for the transaction and checks the role. @returns the id of the server's process */
async function prepareSession(client: Client, { timeoutMs, lockTimeoutMs, allowSuperuser }: PostgresRequest) {
  const settings: readonly (readonly [string, string])[] = [
    ['statement_timeout', String(timeoutMs)],
    ['lock_timeout', String(lockTimeoutMs)],
    ['idle_in_transaction_session_timeout', String(timeoutMs)],
    // The check of statements reads texts as the standard does.
    ['standard_conforming_strings', 'on'],
    ['datestyle', 'ISO, YMD'],
    ['intervalstyle', 'iso_8601'],
    ['bytea_output', 'hex'],
  ];
  const set = settings.map((_, at) => `pg_catalog.set_config($${2 * at + 1}, $${2 * at + 2}, true)`);
  await client.query(`select ${set.join(', ')}`, settings.flat());
  const { rows } = await client.query<{ pid: number; powers: string[] }>(rolesSql);
  const { pid, powers } = rows[0] ?? { pid: 0, powers: [] };
  if (powers.length > 0 && !allowSuperuser) {
    throw new SqlFailure(
      'misconfigured',
      `The database user has powers beyond data (${powers.join(', ')}). Use a user with rights to read the needed tables, or set allowSuperuser.`,
    );
  }
  return pid;
}

/** Roles that the user has or may take, and with which a read-only statement can act outside of its data. */
const rolesSql = `
select pg_catalog.pg_backend_pid() as pid, array(
  select case when rolsuper then 'superuser' else rolname::text end from pg_catalog.pg_roles
  where (rolsuper or rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend'))
    and pg_catalog.pg_has_role(session_user, oid, 'member')
) as powers`;

async function checkCost(pg: Postgres, client: Client, { sql, params, limits }: PostgresRequest, maxCost: number) {
  const plans: unknown[] = [];
  const explain = { text: `explain (format json) ${sql}`, values: [...params] };
  await readRows(pg, client, explain, (row) => plans.push(row[0]) > 0, limits.maxBytes);
  const [first] = plans as [[{ Plan?: { 'Total Cost'?: number } }]?];
  const cost = first?.[0]?.Plan?.['Total Cost'] ?? Number.POSITIVE_INFINITY;
  if (cost <= maxCost) return;
  throw new SqlFailure(
    'rejected',
    `The plan of the statement costs ${Math.round(cost)}; the limit is ${maxCost}. Read fewer rows, or use an indexed column.`,
  );
}

interface ReadRows {
  readonly columns: readonly string[];
  readonly changed: number | null;
}

/** Reads rows one by one, until `take` returns false: the rest is neither read nor stored. */
function readRows(
  { Query, types }: Postgres,
  client: Client,
  { text, values }: { readonly text: string; readonly values: unknown[] },
  take: (row: readonly unknown[]) => boolean,
  maxBytes: number,
): Promise<ReadRows> {
  const config: QueryArrayConfig & { readonly queryMode: 'extended' } = {
    ...{ text, values, rowMode: 'array', queryMode: 'extended' },
    types: { getTypeParser: createTypeParsers(types.getTypeParser) },
  };
  const query = new Query<unknown[]>(config);
  return new Promise((resolve, reject) => {
    let received = 0;
    getStream(client)?.on('data', (chunk: Uint8Array) => {
      received += chunk.length;
      if (received <= 4 * maxBytes + extraBytes) return;
      reject(
        new SqlFailure(
          'rejected',
          'A row is too large. Select fewer columns, or parts of long ones: substr(column, 1, 1000).',
        ),
      );
      getStream(client)?.destroy();
    });
    query.on('row', (row: unknown[], result) => {
      received = 0;
      try {
        if (take(row)) return;
        resolve({ columns: toColumns(result), changed: null });
      } catch (error) {
        // Thrown here, it would end the process.
        reject(new SqlFailure('rejected', 'A value of a row cannot be read. Select it as a text.', error));
      }
      // The server stops when it cannot send.
      getStream(client)?.destroy();
    });
    query.on('error', reject);
    query.on('end', (result) => {
      const { command, rowCount } = result;
      const isChange = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command ?? '');
      resolve({ columns: toColumns(result), changed: isChange ? (rowCount ?? 0) : null });
    });
    client.query(query);
  });
}

function toColumns(result: { readonly fields: readonly { readonly name: string }[] } | undefined): readonly string[] {
  return result?.fields.map(({ name }) => name) ?? [];
}

/** Texts of times, intervals and numbers that a JSON number cannot hold stay as the server writes them. */
const textTypes = new Set([1082, 1083, 1114, 1115, 1182, 1183, 1184, 1185, 1186, 1187, 1266, 1270, 1700, 1231]);
const bigintType = 20;
/** json and jsonb, and lists of them. */
const jsonTypes = new Set([114, 3802]);
const jsonListTypes = new Set([199, 3807]);
const textListType: number = 1009;
const maxJsonDepth = 200;

function createTypeParsers(usual: CustomTypesConfig['getTypeParser']): CustomTypesConfig['getTypeParser'] {
  const keep = (text: unknown) => text;
  const find = (id: number, format?: 'text' | 'binary') => {
    if (id === bigintType) return BigInt;
    if (textTypes.has(id)) return keep;
    if (jsonTypes.has(id)) return parseJson;
    if (jsonListTypes.has(id)) {
      const parseList: (text: string) => unknown = usual(textListType, 'text');
      return (text: string) => parseLeaves(parseList(text));
    }
    return usual(id, format as 'text');
  };
  return find as typeof usual;
}

function parseLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(parseLeaves);
  return typeof value === 'string' ? parseJson(value) : value;
}

/** A deep value stays a text: code that reads it by recursion has no stack for it. */
function parseJson(text: string): unknown {
  let depth = 0;
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (part === '[' || part === '{') depth += 1;
    else if (part === ']' || part === '}') depth -= 1;
    if (depth > maxJsonDepth) return text;
  }
  return JSON.parse(text);
}

function getStream(client: Client) {
  return (client as unknown as { readonly connection?: { readonly stream?: import('node:net').Socket } }).connection
    ?.stream;
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The server does not notice a closed connection while it computes. */
async function cancelStatement(pg: Postgres, url: string, pid: number): Promise<void> {
  const client = createClient(pg, url);
  const end = AbortSignal.timeout(cancelTimeoutMs);
  const cancel = async () => {
    await client.connect();
    await client.query('select pg_catalog.pg_cancel_backend($1)', [pid]);
  };
  await Promise.race([cancel(), waitForAbort(end)]).catch(() => {});
  client.end().catch(() => {});
}

function toFailure(error: unknown, { timeoutMs, lockTimeoutMs }: PostgresRequest, { stage }: Session): SqlFailure {
  if (error instanceof SqlFailure) return error;
  const code = getErrorCode(error);
  const create = (kind: SqlFailure['kind'], message: string) => new SqlFailure(kind, message, error);
  if (code === '57014') return createTimeoutFailure(timeoutMs);
  if (code === '25006') return create('rejected', 'The statement would change data; this tool only reads.');
  if (code === '55P03') return create('temporary', `A lock was not free within ${lockTimeoutMs / 1_000} s.`);
  if (/^40(?:001|P01)/.test(code)) return create('temporary', 'Another transaction conflicted with the statement.');
  // Also sent where the number of parameters is wrong.
  if (code !== '08P01' && /^(?:08|53|57|58|XX)/.test(code))
    return create('temporary', `The database is not available (${code}).`);
  // Their messages name the login or the host.
  if (stage === 'open' && /^(?:28|3D|42)/.test(code)) {
    return create('misconfigured', `The database rejected the login (${code}). Check the address of the tool.`);
  }
  if (stage !== 'open' && isDatabaseError(error)) return create('rejected', describeError(error));
  if (/SASL|password/i.test(String(error))) return create('misconfigured', 'The database needs another password.');
  return create('temporary', `The database does not answer${code === '' ? '' : ` (${code})`}.`);
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'severity' in error && /^[0-9A-Z]{5}$/.test(getErrorCode(error));
}

/** Of errors of a commit, these come before it. After others, such as the end of the session, it may have happened. */
function isRolledBack(error: unknown): boolean {
  return isDatabaseError(error) && error.severity === 'ERROR' && /^(?:23|40001|40P01|40002)/.test(error.code ?? '');
}

function describeError({ message, position, hint }: DatabaseError): string {
  const place = position === undefined ? '' : ` (at character ${position})`;
  return `The database rejected the statement: ${message}${place}.${hint === undefined ? '' : ` ${hint}`}`;
}
