/**
 * The program of the process that executes one statement on an SQLite file.
 *
 * It is a process, not a thread: the driver is synchronous, and a thread inside SQLite's own code cannot be ended. A thread of the
 * process ends the process at the limits of time and memory, also when the worker that started it is gone.
 *
 * It is a string of plain JavaScript: it runs from source and from dist without a loader.
 */
export const sqliteProgram = `
const fs = require('node:fs');
const { Worker } = require('node:worker_threads');
const guard = \`
const { workerData: { timeoutMs, maxMemory } } = require('node:worker_threads');
const end = performance.now() + timeoutMs;
setInterval(() => {
  if (performance.now() > end) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > maxMemory) process.kill(process.pid, 'SIGTERM');
}, 20);
\`;
// Node has no read-only statements, but opens the file read-only as well.
const openNode = ({ DatabaseSync }) => (job) => {
  if (!fs.existsSync(job.file)) throw Object.assign(new Error('no such file'), { code: 'SQLITE_CANTOPEN' });
  return new DatabaseSync(job.file, { readOnly: !job.canWrite });
};
const openPackage = (Database) => (job) => {
  const database = new Database(job.file, { readonly: !job.canWrite, fileMustExist: true });
  database.defaultSafeIntegers(true);
  return database;
};
// Node takes missing values as null. A further one does not fit where none is missing; nothing is executed yet.
const checkParameters = (statement, params) => {
  try {
    statement.iterate(...params, null);
  } catch (error) {
    if (error.errcode === 25) return;
    throw error;
  }
  throw new Error('Too few parameter values were provided');
};
const iterateArrays = (statement, params) => {
  if (statement.raw !== undefined) return statement.raw(true).iterate(...params);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement.iterate(...params);
};
const codes = { 5: 'SQLITE_BUSY', 6: 'SQLITE_LOCKED', 8: 'SQLITE_READONLY', 14: 'SQLITE_CANTOPEN', 26: 'SQLITE_NOTADB' };
const codeOf = ({ code = '', errcode }) => (errcode === undefined ? String(code) : codes[errcode & 255] ?? 'SQLITE_' + errcode);
const sizeOf = (value) =>
  typeof value === 'string' ? value.length : value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 8;
process.once('message', (job) => {
  const answer = (message) => process.send(message, () => process.exit());
  new Worker(guard, { eval: true, workerData: job }).once('online', () => {
    let stage = 'driver';
    try {
      const node = process.getBuiltinModule('node:sqlite');
      // An earlier one cannot keep two columns of one name.
      const hasArrays = node !== undefined && 'setReturnArrays' in node.StatementSync.prototype;
      const open = hasArrays ? openNode(node) : openPackage(require(job.package));
      stage = 'open';
      const database = open(job);
      database.exec('pragma busy_timeout = ' + job.lockTimeoutMs);
      database.exec('pragma trusted_schema = off');
      database.exec('pragma temp_store = memory');
      if (!job.canWrite) database.exec('pragma query_only = on');
      stage = 'statement';
      const statement = database.prepare(job.sql);
      if (!job.canWrite && statement.readonly === false) return answer({ failed: 'write' });
      if (hasArrays) checkParameters(statement, job.params);
      if (job.canWrite) database.exec('begin immediate');
      const rows = [];
      let changes = null, columns = [], bytes = 0, truncated = false, firstBytes = null;
      columns = statement.reader === false ? [] : statement.columns().map(({ name }) => name);
      if (columns.length > 0) {
        for (const row of iterateArrays(statement, job.params)) {
          if (truncated) continue;
          const size = row.reduce((sum, value) => sum + sizeOf(value), 0);
          truncated = rows.length > job.maxRows || bytes + size > job.maxBytes;
          if (truncated && rows.length === 0) firstBytes = size;
          if (!truncated) rows.push(row);
          bytes += size;
          // A statement that changes rows must run to its end.
          if (truncated && !job.canWrite) break;
        }
      } else changes = Number(statement.run(...job.params).changes);
      if (job.canWrite) {
        stage = 'commit';
        database.exec('commit');
      }
      answer({ columns, rows, changes, truncated, firstBytes });
    } catch (error) {
      answer({ failed: stage, code: codeOf(error), message: String(error.message) });
    }
  });
});
`;

/** The last message of the process. */
export type SqliteAnswer =
  | {
      readonly columns: readonly string[];
      readonly rows: readonly (readonly unknown[])[];
      readonly changes: number | null;
      readonly truncated: boolean;
      /** Size of the first row if it does not fit. */
      readonly firstBytes: number | null;
    }
  | {
      readonly failed: 'driver' | 'open' | 'statement' | 'write' | 'commit';
      readonly code?: string;
      readonly message?: string;
    };
