/** Executes one statement on an SQLite file, in a process of its own that is ended at the limits of time and memory. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createCancelFailure, createTimeoutFailure, SqlFailure, type SqlRequest } from './request.js';
import { createRowCollector, describeLargeRow, type SqlResult } from './result.js';
import { type SqliteAnswer, sqliteProgram } from './sqlite-process.js';

/** Of the whole process. */
const maxMemory = 512 * 1_024 * 1_024;

/** Time to start the process, in addition to that of the statement. */
const startMs = 10_000;

/** @throws {SqlFailure} */
export async function querySqlite(file: string, request: SqlRequest): Promise<SqlResult> {
  const { sql, canWrite, limits, timeoutMs, lockTimeoutMs } = request;
  const answer = await ask(
    {
      ...{ file, sql, canWrite, lockTimeoutMs, timeoutMs, maxMemory, ...limits },
      package: findPackage(),
      params: request.params.map(toBinding),
    },
    request,
  );
  if (answer === 'cancelled') throw createCancelFailure(canWrite ? 'unknown' : 'cancelled');
  if (typeof answer === 'string') throw describeEnd(answer, request);
  if ('failed' in answer) throw toFailure(answer);
  const { columns, rows, changes, truncated, firstBytes } = answer;
  if (firstBytes !== null && !canWrite) {
    throw new SqlFailure('rejected', describeLargeRow(firstBytes, limits.maxBytes));
  }
  const collector = createRowCollector(limits);
  for (const row of rows) if (!collector.add(row)) break;
  const problem = canWrite ? null : collector.findProblem();
  if (problem !== null) throw new SqlFailure('rejected', problem);
  const result = collector.finish(columns, changes);
  return { ...result, truncated: result.truncated || truncated };
}

/** A whole number must be one for SQLite too: a JavaScript number is a floating-point number to its driver. */
function toBinding(value: SqlRequest['params'][number]): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Returns the path of the package, for a Node without SQLite; null if it is not installed. */
function findPackage(): string | null {
  try {
    return createRequire(import.meta.url).resolve('better-sqlite3');
  } catch {
    return null;
  }
}

function createDriverFailure(cause?: unknown): SqlFailure {
  const message =
    'sqlQuery with a file needs Node 22.16 or the package better-sqlite3. Run `npm install better-sqlite3`.';
  return new SqlFailure('misconfigured', message, cause);
}

/** The process ended without an answer: at which limit, or for an unknown reason. */
type EarlyEnd = 'time' | 'memory' | 'died' | 'cancelled';

async function ask(
  job: { readonly [name: string]: unknown },
  { timeoutMs, signal }: SqlRequest,
): Promise<SqliteAnswer | EarlyEnd> {
  if (signal.aborted) throw createCancelFailure();
  const child = spawn(process.execPath, ['-e', sqliteProgram], {
    // Nothing of the worker's environment: it has secrets.
    env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
  let end: EarlyEnd | null = null;
  const stop = (why: EarlyEnd) => {
    end ??= why;
    child.kill('SIGKILL');
  };
  const cancel = () => stop('cancelled');
  const timer = setTimeout(() => stop('time'), timeoutMs + startMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answer = await waitForAnswer(child, job);
    return typeof answer === 'string' ? (end ?? answer) : answer;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    child.kill('SIGKILL');
  }
}

function waitForAnswer(child: ChildProcess, job: object): Promise<SqliteAnswer | EarlyEnd> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as SqliteAnswer));
    child.once('error', () => resolve('died'));
    child.once('exit', (_code, signal) => {
      if (signal === 'SIGTERM') resolve('memory');
      else resolve(signal === 'SIGKILL' ? 'time' : 'died');
    });
    child.send(job, () => {});
  });
}

function describeEnd(end: Exclude<EarlyEnd, 'cancelled'>, { canWrite, timeoutMs }: SqlRequest): SqlFailure {
  // A killed process may have committed.
  const kind = canWrite ? 'unknown' : 'rejected';
  if (end === 'time') return new SqlFailure(kind, createTimeoutFailure(timeoutMs).message);
  if (end === 'memory')
    return new SqlFailure(kind, 'The statement needed too much memory and was stopped. Read fewer or smaller values.');
  return new SqlFailure(canWrite ? 'unknown' : 'temporary', 'The process of the statement ended without an answer.');
}

function toFailure({ failed, code = '', message = '' }: Extract<SqliteAnswer, { failed: string }>): SqlFailure {
  if (failed === 'driver') return createDriverFailure(message);
  if (failed === 'write') return new SqlFailure('rejected', 'The statement would change data; this tool only reads.');
  if (failed === 'commit') return new SqlFailure('unknown', `The changes may not have been committed (${code}).`);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new SqlFailure('temporary', 'The database is locked by another program.');
  }
  // Without its message, which may have a path.
  if (failed === 'open') {
    return new SqlFailure(
      'misconfigured',
      `The database file cannot be opened (${code || 'no code'}). Check that it exists.`,
    );
  }
  if (code === 'SQLITE_READONLY')
    return new SqlFailure('rejected', 'The statement would change data; this tool only reads.');
  return new SqlFailure('rejected', `The database rejected the statement: ${message}`);
}
