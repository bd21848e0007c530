/**
 * A store in a file of SQLite's, or in memory.
 *
 * S1 What `write` has acknowledged survives a power cut: the write-ahead log with `synchronous = full`, one fsync a
 *    transaction. With `normal`, the last entries of an audit log could be lost although somebody was told of them.
 * S2 Nobody waits inside SQLite, which would stop this whole process, its heartbeats too: who meets a lock tries again
 *    between turns of the event loop.
 */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { type Dialect, SqliteDialect } from 'kysely';
import { getErrorCode, StoreError } from './errors.js';
import { createStoreDialect } from './store-dialect.js';

/** Milliseconds that a lock of another process is waited for, and at most between two tries. */
const lockTimeoutMs = 15_000;
const maxPauseMs = 25;

/**
 * `auto_vacuum` only counts before the first table. Incremental: what retention frees can be given back piece by piece,
 * without rewriting the file. What is deleted is overwritten: who erases a person's words wants them gone.
 */
const pragmas = [
  'auto_vacuum = incremental',
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'secure_delete = on',
  'busy_timeout = 0',
];

/** @param path null for memory */
export async function createSqliteDialect(path: string | null, place: string): Promise<Dialect> {
  const open = await loadDriver();
  const dialect = new SqliteDialect({
    database: async () => {
      if (path !== null) createPrivateFile(path);
      const database = open(path ?? ':memory:');
      try {
        for (const setting of pragmas) await retryWhileBusy(() => database.pragma(setting));
      } catch (error) {
        database.close();
        throw error;
      }
      return database;
    },
  });
  return createStoreDialect(dialect, {
    classify: (error) => classifySqliteError(error, place),
    retry: retryWhileBusy,
    // Locks for writing at once: a transaction that reads first and then finds that another has written could only give up.
    beginStatement: 'begin immediate',
  });
}

/** The package is optional, because it is machine code: who keeps the store in Postgres does without. */
async function loadDriver(): Promise<(path: string) => Database> {
  try {
    const { default: Database } = await import('better-sqlite3');
    // Whether its machine code is there shows only now.
    new Database(':memory:').close();
    return (path) => new Database(path);
  } catch (error) {
    throw new StoreError(
      'missing',
      `A store in a file needs the package better-sqlite3, which does not work here (${getFirstLine(error)}). Run \`npm install better-sqlite3\`, or name a Postgres database: LONGHAND_STORE=postgres://….`,
      error,
    );
  }
}

/** Chains are private: the file is for its owner alone, and what SQLite puts beside it has the same mode. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

async function retryWhileBusy<T>(work: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + lockTimeoutMs;
  for (let pause = 1; ; pause = Math.min(2 * pause, maxPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!getErrorCode(error).startsWith('SQLITE_BUSY') || performance.now() > end) throw error;
    }
    // Several that wait must not try in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}

function classifySqliteError(error: unknown, place: string): StoreError | null {
  const code = getErrorCode(error);
  const told = (kind: StoreError['kind'], sentence: string) => new StoreError(kind, sentence, error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return told('unavailable', `Another process has kept the store ${place} locked for ${lockTimeoutMs / 1_000} s.`);
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return told('full', `No room is left for the store ${place}. Make room on its disk, or move it.`);
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return told(
      'corrupt',
      `The store ${place} is damaged, or is no SQLite database (${getFirstLine(error)}). Put back a copy of it, or move it away: a new one is made then.`,
    );
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST)/.test(code)) {
    return told(
      'notWritable',
      `The store ${place} cannot be made or written there (${getFirstLine(error)}). Give this user the right to write its folder, or name another place in LONGHAND_STORE.`,
    );
  }
  if (/^(SQLITE_IOERR|EIO)/.test(code)) {
    return told('unavailable', `The disk of the store ${place} does not answer (${code}).`);
  }
  return null;
}

function getFirstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
