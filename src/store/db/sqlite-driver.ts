/**
 * SQLite of Node itself, else of the package better-sqlite3: both in the form of better-sqlite3, which Kysely expects.
 *
 * Node's needs no native code of a package, which is missing where installs run no scripts. It is used from Node 22.16 (23.11):
 * earlier ones have no full-text search, which the archive needs, and do not report which statements return rows.
 */

import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { getErrorCode } from '../../core/lib/index.js';

/** A database of either driver. */
export interface SqliteConnection extends SqliteDatabase {
  readonly exec: (sql: string) => unknown;
}

export type SqliteDriver =
  | { readonly kind: 'node' | 'package'; readonly open: (path: string) => SqliteConnection }
  /** `reason` is a clause that has the fix. */
  | { readonly kind: 'missing'; readonly reason: string; readonly cause: unknown };

export async function findSqliteDriver(): Promise<SqliteDriver> {
  const node = loadNodeSqlite();
  if (node !== null) return { kind: 'node', open: (path) => openNodeDatabase(node, path) };
  try {
    const { default: Database } = await import('better-sqlite3');
    // Fails here when the native code is missing.
    new Database(':memory:').close();
    return { kind: 'package', open: (path) => new Database(path) };
  } catch (cause) {
    const reason = `SQLite needs Node 22.16 or the package better-sqlite3, which does not work here (${getFirstSentence(cause)})`;
    return { kind: 'missing', reason, cause };
  }
}

/** The parts of `node:sqlite` that are used: the types of Node 20 lack it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
  readonly StatementSync: { readonly prototype: object };
}

interface NodeDatabase {
  readonly exec: (sql: string) => void;
  readonly prepare: (sql: string) => NodeStatement;
  readonly close: () => void;
}

interface NodeStatement {
  readonly columns: () => readonly unknown[];
  readonly all: (...parameters: readonly unknown[]) => Readonly<Record<string, unknown>>[];
  readonly run: (...parameters: readonly unknown[]) => ReturnType<SqliteStatement['run']>;
  readonly iterate: (...parameters: readonly unknown[]) => IterableIterator<unknown>;
}

/** Returns null where Node has no SQLite, has it behind a flag, or has an early one. */
function loadNodeSqlite(): NodeSqlite | null {
  const { emitWarning } = process;
  // Node reports once that its SQLite may change: not a message for users of commands.
  process.emitWarning = () => {};
  try {
    const node = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
    return node !== undefined && 'columns' in node.StatementSync.prototype ? node : null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNodeDatabase({ DatabaseSync }: NodeSqlite, path: string): SqliteConnection {
  const database = new DatabaseSync(path);
  let isOpen = true;
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters.map(toNodeParameter)).map(toBuffers),
        run: (parameters) => statement.run(...parameters.map(toNodeParameter)),
        iterate: (parameters) => statement.iterate(...parameters.map(toNodeParameter)),
      };
    },
    // Node throws for a second time.
    close: () => {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

/** A part of a buffer with bytes: Node stores bytes without memory as null. */
const noBytes = Buffer.alloc(1).subarray(0, 0);

function toNodeParameter(value: unknown): unknown {
  return value instanceof Uint8Array && value.byteLength === 0 ? noBytes : value;
}

/** Bytes are a `Buffer`, as better-sqlite3 returns them. */
function toBuffers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row))
    copy[name] = value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  return copy;
}

/** The codes of SQLite that the store distinguishes, by number. */
const codes: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
};

/** Returns the code of an error as better-sqlite3 names it, or of the operating system. Node has a number for all of SQLite's. */
export function getSqliteCode(error: unknown): string {
  const code = getErrorCode(error);
  if (code !== 'ERR_SQLITE_ERROR') return code;
  const { errcode } = error as { readonly errcode?: number };
  // The low byte is the kind; the others are its details.
  return codes[(errcode ?? 0) & 0xff] ?? `SQLITE_${errcode}`;
}

function getFirstSentence(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.split('. ')[0] ?? line;
}
