/** `node:sqlite` of this Node; where it has none, played by better-sqlite3 with the same methods, values and errors. */

import type SQLite from 'better-sqlite3';

export async function loadNodeSqlite(): Promise<object> {
  const own = process.getBuiltinModule('node:sqlite') as { readonly StatementSync: { readonly prototype: object } };
  return own !== undefined && 'columns' in own.StatementSync.prototype ? own : playNodeSqlite();
}

const numbers: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_CANTOPEN: 14,
  SQLITE_CANTOPEN_ISDIR: 14 | (2 << 8),
  SQLITE_NOTADB: 26,
};

function play<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as Error & { readonly code: string };
    throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: numbers[code] ?? 1 });
  }
}

const toNodeValue = (value: unknown) => (Buffer.isBuffer(value) ? new Uint8Array(value) : value);

/** Node stores bytes without memory as null. */
const toStored = (value: unknown) => (value instanceof Uint8Array && value.buffer.byteLength === 0 ? null : value);

class StatementSync {
  constructor(private readonly statement: SQLite.Statement) {}

  columns(): readonly object[] {
    return this.statement.reader ? this.statement.columns() : [];
  }

  all(...parameters: readonly unknown[]): readonly object[] {
    return play(() => this.statement.all(...parameters.map(toStored))).map((row) =>
      Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, toNodeValue(value)])),
    );
  }

  run(...parameters: readonly unknown[]): SQLite.RunResult {
    return play(() => this.statement.run(...parameters.map(toStored)));
  }
}

async function playNodeSqlite(): Promise<object> {
  const { default: Database } = await import('better-sqlite3');
  class DatabaseSync {
    private readonly database: SQLite.Database;

    constructor(path: string) {
      this.database = play(() => new Database(path, { timeout: 0 }));
    }

    exec(sql: string): void {
      play(() => this.database.exec(sql));
    }

    prepare(sql: string): StatementSync {
      return new StatementSync(play(() => this.database.prepare(sql)));
    }

    close(): void {
      if (!this.database.open) throw new Error('database is not open');
      this.database.close();
    }
  }
  return { DatabaseSync, StatementSync };
}
