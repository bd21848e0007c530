/**
 * SQLite comes from Node where it has it, else from better-sqlite3, else commands run without an archive. On a Node without
 * SQLite, better-sqlite3 plays it.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { prepareStore } from '../../../src/cli/access/command-store.js';
import { checkStore } from '../../../src/cli/doctor/store.js';
import { openStore } from '../../../src/store/db/open.js';
import { findSqliteDriver } from '../../../src/store/db/sqlite-driver.js';
import { loadNodeSqlite } from '../../support/node-sqlite.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-driver-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.doUnmock('better-sqlite3');
});

/** Node reports at its first use that its SQLite may change. */
const stubNode = (module: object | undefined) =>
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
    return module as never;
  });

const breakPackage = () =>
  vi.doMock('better-sqlite3', () => ({
    default: class {
      constructor() {
        throw new Error('Could not locate the bindings file. Tried:\n → build/better_sqlite3.node');
      }
    },
  }));

describe('SQLite of Node', () => {
  it('is used without better-sqlite3, stores bytes, and is not reported as experimental', async () => {
    stubNode(await loadNodeSqlite());
    breakPackage();
    const warned = vi.spyOn(process, 'emitWarning');
    expect((await findSqliteDriver()).kind).toBe('node');
    expect(warned).not.toHaveBeenCalled();
    const store = await openStore(join(folder, 'bytes.db'));
    await store.write(async (tx) => {
      await sql`create table t (n integer primary key, bytes blob)`.execute(tx);
      const { numAffectedRows } =
        await sql`insert into t (bytes) values (${Buffer.from('abc')}), (${Buffer.from(new ArrayBuffer(0))})`.execute(
          tx,
        );
      expect(numAffectedRows).toBe(2n);
    });
    const { rows } = await sql<{ bytes: Buffer }>`select bytes from t`.execute(store.db);
    expect(rows.map(({ bytes }) => bytes.toString('base64'))).toEqual(['YWJj', '']);
    await store.close();
    await store.close();
  });

  it('has the errors of the store: a lock is waited for, and files have their kind of error', async () => {
    stubNode(await loadNodeSqlite());
    const [holder, waiter] = [await openStore(join(folder, 'lock.db')), await openStore(join(folder, 'lock.db'))];
    let write: Promise<unknown> = Promise.resolve();
    await holder.write(async (tx) => {
      await sql`create table t (n)`.execute(tx);
      write = waiter.write((other) => sql`insert into t values (1)`.execute(other));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await write;
    for (const each of [holder, waiter]) await each.close();
    writeFileSync(join(folder, 'poem.db'), 'A poem, not a database. '.repeat(100));
    await expect(openStore(join(folder, 'poem.db'))).rejects.toMatchObject({ code: 'store_corrupt' });
    mkdirSync(join(folder, 'folder.db'));
    await expect(openStore(join(folder, 'folder.db'))).rejects.toMatchObject({ code: 'store_not_writable' });
  });

  it('is not used where it is an early one: without full-text search there is no archive', async () => {
    stubNode({ ...(await loadNodeSqlite()), StatementSync: class {} });
    expect((await findSqliteDriver()).kind).not.toBe('node');
  });
});

it('without any SQLite, commands run without an archive and name the fix, and doctor has the same text', async () => {
  stubNode(undefined);
  breakPackage();
  writeFileSync(join(folder, 'package.json'), '{}');
  const notice =
    'No archive: SQLite needs Node 22.16 or the package better-sqlite3, which does not work here (Could not locate the bindings file). Name a store in LONGHAND_STORE, or set it to none to accept this.';
  expect(await prepareStore({ HOME: '/' }, folder)).toEqual({ where: null, notice });
  expect(await checkStore({ HOME: '/' }, folder)).toMatchObject({ status: 'warning', found: 'none', remedy: notice });
  await expect(openStore(join(folder, 'named.db'))).rejects.toMatchObject({ code: 'store_missing' });
});
