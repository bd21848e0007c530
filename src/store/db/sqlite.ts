/**
 * A store in a SQLite file, or in memory.
 *
 * S1 A committed `write` survives a power cut: a write-ahead log with `synchronous = full`, one fsync a transaction. With
 *    `normal`, the last entries of an audit log could be lost after they were reported.
 * S2 No statement waits inside SQLite, which would block this process and its heartbeats: a locked database is retried
 *    between turns of the event loop.
 */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, SqliteDialect } from 'kysely';
import { StoreError } from './errors.js';
import { findSqliteDriver, getSqliteCode, type SqliteConnection } from './sqlite-driver.js';
import { createStoreDialect } from './store-dialect.js';

/** Time to wait for another process's lock, and the longest pause between two attempts. */
const lockTimeoutMs = 15_000;
const maxPauseMs = 25;

/**
 * `auto_vacuum` only works before the first table exists. `incremental` returns freed space piece by piece, without
 * rewriting the file. `secure_delete` overwrites deleted content, so that erased content is gone.
 */
const pragmas = [
  'auto_vacuum = incremental',
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'secure_delete = on',
  'busy_timeout = 0',
];

/** @param path null for a store in memory */
export async function createSqliteDialect(path: string | null, place: string): Promise<Dialect> {
  const open = await loadSqliteDriver();
  const dialect = new SqliteDialect({
    database: async () => {
      if (path !== null) createPrivateFile(path);
      const database = open(path ?? ':memory:');
      try {
        for (const setting of pragmas) await retryWhileBusy(() => void database.exec(`pragma ${setting}`));
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
    // Takes the write lock immediately: a transaction that first reads and then meets another writer could only fail.
    beginStatement: 'begin immediate',
  });
}

/** @throws {StoreError} `missing` */
export async function loadSqliteDriver(): Promise<(path: string) => SqliteConnection> {
  const driver = await findSqliteDriver();
  if (driver.kind !== 'missing') return driver.open;
  throw new StoreError(
    'missing',
    `${driver.reason}. Run \`npm install better-sqlite3\`, or \`npm rebuild better-sqlite3\` if it is installed. Or name a Postgres database: LONGHAND_STORE=postgres://….`,
    driver.cause,
  );
}

/** Chains are private: only the owner can read the file. SQLite's additional files get the same mode. */
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
      if (!getSqliteCode(error).startsWith('SQLITE_BUSY') || performance.now() > end) throw error;
    }
    // Random, so that waiting processes do not retry in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}

function classifySqliteError(error: unknown, place: string): StoreError | null {
  const code = getSqliteCode(error);
  const createError = (kind: StoreError['kind'], sentence: string) => new StoreError(kind, sentence, error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return createError('unavailable', `Another process has locked the store ${place} for ${lockTimeoutMs / 1_000} s.`);
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return createError('full', `The disk of the store ${place} is full. Free space on it, or move the store.`);
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return createError(
      'corrupt',
      `The store ${place} is damaged, or is not a SQLite database (${getFirstLine(error)}). Restore a backup, or move the file away: a new store is then created.`,
    );
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST)/.test(code)) {
    return createError(
      'notWritable',
      `Cannot create or write the store ${place} (${getFirstLine(error)}). Grant this user write access to its folder, or name another place in LONGHAND_STORE.`,
    );
  }
  if (/^(SQLITE_IOERR|EIO)/.test(code)) {
    return createError('unavailable', `The disk of the store ${place} does not answer (${code}).`);
  }
  return null;
}

function getFirstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
