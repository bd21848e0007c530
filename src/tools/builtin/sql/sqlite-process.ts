/**
 * The program of the process that executes one statement on an SQLite file.
 *
 * It is a process, not a thread: the driver is synchronous, and a thread inside SQLite's own code cannot be ended. A thread of the
 * process ends the process at the limits of time and memory, also when the worker that started it is gone.
 *
 * It is a string of plain JavaScript: it runs from source and from dist without a loader.
 */
export const sqliteProgram = `
const { Worker } = require('node:worker_threads');
const guard = \`
const { workerData: { timeoutMs, maxMemory } } = require('node:worker_threads');
const end = performance.now() + timeoutMs;
setInterval(() => {
  if (performance.now() > end) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > maxMemory) process.kill(process.pid, 'SIGTERM');
}, 20);
\`;
const sizeOf = (value) =>
  typeof value === 'string' ? value.length : value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 8;
process.once('message', (job) => {
  const answer = (message) => process.send(message, () => process.exit());
  new Worker(guard, { eval: true, workerData: job }).once('online', () => {
    let stage = 'driver';
    try {
      const Database = require(job.driver);
      stage = 'open';
      const database = new Database(job.file, { readonly: !job.canWrite, fileMustExist: true, timeout: job.lockTimeoutMs });
      database.defaultSafeIntegers(true);
      database.pragma('trusted_schema = off');
      database.pragma('temp_store = memory');
      if (!job.canWrite) database.pragma('query_only = on');
      stage = 'statement';
      const statement = database.prepare(job.sql);
      if (!job.canWrite && !statement.readonly) return answer({ failed: 'write' });
      if (job.canWrite) database.exec('begin immediate');
      const rows = [];
      let changes = null, columns = [], bytes = 0, truncated = false, firstBytes = null;
      if (statement.reader) {
        columns = statement.columns().map(({ name }) => name);
        for (const row of statement.raw(true).iterate(...job.params)) {
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
      answer({ failed: stage, code: String(error.code ?? ''), message: String(error.message) });
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
