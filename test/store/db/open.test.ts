/** A store opens, is migrated once, and throws errors with a fix when it cannot be used. */

import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../../src/cli/server/ports.js';
import type { Store } from '../../../src/entries/store.js';
import { migrate } from '../../../src/store/db/migrate.js';
import { migrations } from '../../../src/store/db/migrations/index.js';
import { connectStore, openStore } from '../../../src/store/db/open.js';
import type { Tables } from '../../../src/store/db/store.js';
import { parseStoreLocation, readStoreUrl } from '../../../src/store/db/store-location.js';
import { budget } from '../../support/budget.js';
import { matchError } from '../../support/match-error.js';
import { type PostgresServer, startPostgres, withPassword } from '../../support/postgres.js';
import { runProcesses } from '../../support/store-process.js';
import { describeStores, freshPostgres, inEveryForm, sharedInEveryForm } from '../../support/stores.js';
import { someMigrations } from './some-migrations.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-open-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withCounter(store: Store): Promise<Store> {
  await store.write(async (tx) => {
    await sql`create table counter (n bigint)`.execute(tx);
    await sql`insert into counter values (0)`.execute(tx);
  });
  return store;
}

const plusOne = sql`update counter set n = n + 1`;

async function readCounter({ db }: Store): Promise<unknown> {
  return (await sql<{ n: number }>`select n from counter`.execute(db)).rows[0]?.n;
}

describeStores((open) => {
  it('commits a transaction completely or not at all', async () => {
    const store = await withCounter(await open());
    await store.write((tx) => plusOne.execute(tx));
    const failed = store.write(async (tx) => {
      await plusOne.execute(tx);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await readCounter(store)).toBe(1);
  });

  it('returns large numbers and sums as numbers, and bytes as bytes', async () => {
    const store = await withCounter(await open());
    await store.write((tx) => sql`update counter set n = 1700000000000`.execute(tx));
    const { rows } = await sql`select n, sum(n) as total, count(*) as rows from counter group by n`.execute(store.db);
    expect(rows).toEqual([{ n: 1_700_000_000_000, total: 1_700_000_000_000, rows: 1 }]);
  });

  it('applies only missing migrations, and rejects a store that a newer version migrated', async () => {
    const store = await connectStore(await open.where());
    const names = async () => {
      const rows = await store.db.selectFrom('longhand_migrations').select('name').orderBy('name').execute();
      return rows.map(({ name }) => name);
    };
    await migrate(store, someMigrations.slice(0, 1));
    expect(await names()).toEqual(['0001-one']);
    await migrate(store, someMigrations);
    expect(await names()).toEqual(['0001-one', '0002-two', '0003-three']);
    await expect(migrate(store, someMigrations.slice(0, 2))).rejects.toMatchObject({
      code: 'store_newer',
      message: expect.stringContaining('migrated by a newer Longhand (0003-three)'),
    });
    await store.close();
  });

  it('opens with tables that an earlier version had', async () => {
    const store = await open();
    for (const table of ['open_circuits', 'tool_places'])
      await store.write((tx) => sql`create table ${sql.table(table)} (id text primary key)`.execute(tx));
    await migrate(store);
    const rows = await store.db.selectFrom('longhand_migrations').select('name').execute();
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  });

  it('is unchanged after a failed migration', async () => {
    const store = await connectStore(await open.where());
    const failing = { name: '0004-fails', up: () => Promise.reject(new Error('no such thing')) };
    await expect(migrate(store, [...someMigrations, failing])).rejects.toThrow('no such thing');
    await migrate(store, someMigrations);
    await store.close();
  });
}, inEveryForm);

describeStores((open) => {
  it('is migrated once when several processes open it at the same time', async () => {
    const where = await open.where();
    const module = new URL('./migrate-process.ts', import.meta.url);
    await runProcesses(budget(3, 6), module, [where]);
    const store = await connectStore(where);
    const rows = await store.db.selectFrom('longhand_migrations').select('name').execute();
    expect(rows).toHaveLength(someMigrations.length);
    await store.close();
  });

  it('loses no concurrent write of several connections', async () => {
    const first = await withCounter(await open());
    const stores = [first, await open(), await open()];
    const writes = Array.from({ length: 90 }, (_, index) => stores[index % 3]?.write((tx) => plusOne.execute(tx)));
    await Promise.all(writes);
    expect(await readCounter(first)).toBe(90);
  });

  it('commits two concurrent transactions that read before they write', async () => {
    const stores = [await withCounter(await open()), await open()];
    const writes = stores.map((store) =>
      store.write(async (tx) => {
        await sql`select n from counter`.execute(tx);
        await plusOne.execute(tx);
      }),
    );
    await Promise.all(writes);
    expect(await readCounter(stores[0]!)).toBe(2);
  });

  it('waits for another writer without blocking the process', async () => {
    const holder = await withCounter(await open());
    const waiter = await open();
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    let write: Promise<unknown> = Promise.resolve();
    await holder.write(async (tx) => {
      await plusOne.execute(tx);
      write = waiter.write((other) => plusOne.execute(other));
      await expect.poll(() => turns).toBeGreaterThan(20);
    });
    await write;
    clearInterval(ticking);
    expect(await readCounter(holder)).toBe(2);
  });
}, sharedInEveryForm);

describe('in a file', () => {
  const path = (name: string) => join(folder, name);

  it('is created with its folder, readable only by its owner', async () => {
    const store = await openStore(path('new/folder/store.db'));
    await withCounter(store);
    expect(store.location).toBe(`sqlite:${path('new/folder/store.db')}`);
    for (const file of ['store.db', 'store.db-wal']) {
      expect(statSync(path(`new/folder/${file}`)).mode & 0o777).toBe(0o600);
    }
    await store.close();
    await store.close();
  });

  it('commits a transaction only when it is on the disk', async () => {
    const { db, close } = await openStore(path('settings.db'));
    const setting = async (name: string) => Object.values((await sql.raw(`pragma ${name}`).execute(db)).rows[0] ?? {});
    expect(await setting('journal_mode')).toEqual(['wal']);
    expect(await setting('synchronous')).toEqual([2]);
    expect(await setting('auto_vacuum')).toEqual([2]);
    expect(await setting('foreign_keys')).toEqual([1]);
    await close();
  });

  it.each([
    [
      'store_corrupt',
      'no-database.db',
      () => writeFileSync(path('no-database.db'), 'A poem, not a database. '.repeat(100)),
    ],
    ['store_not_writable', 'a-file/store.db', () => writeFileSync(path('a-file'), '')],
    ['store_not_writable', '.', () => {}],
  ] as const)('throws %s for %s', async (code, name, prepare) => {
    prepare();
    const opened = openStore(`sqlite:${path(name)}`);
    const place = path(name === '.' ? '' : name).replace(/\/$/, '');
    await expect(opened).rejects.toThrow(matchError(code, place));
  });

  it('throws store_corrupt when it reads a damaged page', async () => {
    const store = await withCounter(await openStore(path('damaged.db')));
    await store.write((tx) => sql`create table filled as select randomblob(200000) as bytes`.execute(tx));
    await store.close();
    const bytes = statSync(path('damaged.db')).size;
    writeFileSync(path('damaged.db'), Buffer.alloc(bytes, 'garbage').subarray(4096), { flag: 'r+' });
    appendFileSync(path('damaged.db'), 'more');
    const again = openStore(path('damaged.db')).then(async (opened) => {
      await sql`select sum(length(bytes)) from filled`.execute(opened.db).finally(opened.close);
    });
    await expect(again).rejects.toMatchObject({ code: 'store_corrupt' });
  });

  it("rejects another program's database", async () => {
    const other = await connectStore(path('other.db'));
    await sql`create table recipes (name text)`.execute(other.db);
    await other.close();
    const store = await connectStore(path('other.db'));
    await expect(migrate(store, someMigrations)).rejects.toMatchObject({ code: 'store_misnamed' });
    await store.close();
  });

  it('throws store_full on a full disk, and writes again when there is space', async () => {
    const store = await withCounter(await openStore(path('full.db')));
    const room = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(store.db);
    const fill = () => store.write((tx) => sql`create table filled as select randomblob(400000) as b`.execute(tx));
    await room(20);
    await expect(fill()).rejects.toMatchObject({ code: 'store_full', message: expect.stringContaining('Free space') });
    await store.write((tx) => plusOne.execute(tx));
    expect(await readCounter(store)).toBe(1);
    await room(100_000);
    await fill();
    await store.close();
  });
});

describe('in Postgres', () => {
  it.each([
    ['store_denied', `${withPassword}:wrong@`, undefined],
    ['store_missing', 'longhand@', 'no_such_database'],
  ] as const)('throws %s', async (code, user, database) => {
    const { where, remove } = await freshPostgres();
    const { host, pathname } = new URL(where);
    const opened = openStore(`postgres://${user}${host}/${database ?? pathname.slice(1)}`);
    await expect(opened).rejects.toMatchObject({ code });
    await expect(opened).rejects.not.toThrow('wrong@');
    await remove();
  });

  it('throws store_unavailable when nothing listens', async () => {
    const opened = openStore(`postgres://longhand:secret@127.0.0.1:${await findFreePort()}/longhand`);
    await expect(opened).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('does not answer'),
    });
    await expect(opened).rejects.not.toThrow('secret');
  });

  it('fails the transaction of a lost connection, and continues with another connection', async () => {
    const { where, remove } = await freshPostgres();
    const store = await withCounter(await openStore(where));
    const cut = store.write(async (tx) => {
      await plusOne.execute(tx);
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
    });
    await expect(cut).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.write((tx) => plusOne.execute(tx));
    expect(await readCounter(store)).toBe(1);
    await store.close();
    await remove();
  });

  it('retries a transaction that conflicts with another one', async () => {
    const { where, remove } = await freshPostgres();
    const store = await openStore(where);
    await store.write((tx) => sql`create table pair (id int, n int)`.execute(tx));
    await store.write((tx) => sql`insert into pair values (1, 0), (2, 0)`.execute(tx));
    const both = [1, 2].map((first) =>
      store.write(async (tx) => {
        for (const id of [first, 3 - first]) {
          await sql`update pair set n = n + 1 where id = ${id}`.execute(tx);
          await sql`select pg_sleep(0.05)`.execute(tx);
        }
      }),
    );
    await Promise.all(both);
    expect((await sql`select n from pair`.execute(store.db)).rows).toEqual([{ n: 2 }, { n: 2 }]);
    await store.close();
    await remove();
  });

  /** The error of a transaction that writes and then waits too long for another; then runs one that does not wait. */
  async function waitingTooLong(waitsAtMost: string) {
    const { where, remove } = await freshPostgres();
    const holder = await withCounter(await openStore(where));
    const waiter = await openStore(`${where}?${waitsAtMost}`);
    await holder.write((tx) => sql`create table half (of int)`.execute(tx));
    const connectionOf = async (tx: Transaction<Tables>) =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid;
    let [first, next]: (number | undefined)[] = [];
    const waited = await holder.write(async (tx) => {
      await plusOne.execute(tx);
      const waits = waiter.write(async (other) => {
        first = await connectionOf(other);
        await sql`insert into half values (1)`.execute(other);
        await plusOne.execute(other);
      });
      return waits.catch((error: unknown) => error);
    });
    await waiter.write(async (tx) => {
      next = await connectionOf(tx);
      await plusOne.execute(tx);
    });
    const halves = (await sql`select * from half`.execute(holder.db)).rows.length;
    const came = { waited, halves, counted: await readCounter(holder), sameConnection: first === next };
    await Promise.all([holder.close(), waiter.close()]);
    await remove();
    return came;
  }

  it('rolls back a transaction after the statement timeout, and keeps its connection', async () => {
    const { waited, ...came } = await waitingTooLong('statement_timeout=300');
    expect(waited).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('took too long') });
    expect(came).toEqual({ halves: 0, counted: 2, sameConnection: true });
  });

  it('closes a connection that does not answer: its open transaction is never committed', async () => {
    const { waited, ...came } = await waitingTooLong('query_timeout=1000');
    expect(waited).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('does not answer') });
    expect(came).toEqual({ halves: 0, counted: 2, sameConnection: false });
  });

  it('limits a statement to a minute, or to the timeout in the address', async () => {
    const { where, remove } = await freshPostgres();
    for (const [address, time] of [
      [where, '1min'],
      [`${where}?statement_timeout=5000`, '5s'],
    ] as const) {
      const { db, close } = await openStore(address);
      expect((await sql`show statement_timeout`.execute(db)).rows).toEqual([{ statement_timeout: time }]);
      await close();
    }
    await remove();
  });
});

describe('in a Postgres that ends', () => {
  let server: PostgresServer;
  /** Migrated by no test before its own. */
  let second = '';
  beforeAll(async () => {
    server = await startPostgres();
    const { db, close } = await connectStore(server.url);
    await sql`create database second`.execute(db);
    await close();
    second = server.url.replace(/postgres$/, 'second');
  });
  afterAll(async () => {
    await server.stop();
    await server.remove();
  });

  it('is usable again after its server was killed and restarted', async () => {
    const store = await withCounter(await openStore(server.url));
    await store.write((tx) => plusOne.execute(tx));
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
    await expect(store.write((tx) => plusOne.execute(tx))).rejects.toMatchObject({ code: 'store_unavailable' });
    server = await startPostgres(server);
    expect(await readCounter(store)).toBe(1);
    await store.write((tx) => plusOne.execute(tx));
    await store.close();
  });

  it('opens while its server is down, and is migrated before its first use', async () => {
    await server.stop();
    const reasons: string[] = [];
    const store = await openStore(second, { onUnavailable: ({ kind }) => reasons.push(kind) });
    expect(reasons).toEqual(['unavailable']);
    await expect(store.write((tx) => plusOne.execute(tx))).rejects.toMatchObject({ code: 'store_unavailable' });
    server = await startPostgres(server);
    await withCounter(store);
    expect(await store.db.selectFrom('longhand_migrations').selectAll().execute()).toHaveLength(migrations.length);
    await store.close();
  });
});

describe('the location of a store', () => {
  it('is parsed from text', () => {
    expect(parseStoreLocation('memory:')).toEqual({ kind: 'memory', display: 'memory' });
    expect(parseStoreLocation(':memory:')).toEqual({ kind: 'memory', display: 'memory' });
    expect(parseStoreLocation('/var/x.db')).toMatchObject({ kind: 'file', path: '/var/x.db' });
    expect(parseStoreLocation('sqlite:///var/x.db')).toMatchObject({ kind: 'file', path: '/var/x.db' });
    expect(parseStoreLocation('sqlite:x.db')).toMatchObject({ kind: 'file', path: join(process.cwd(), 'x.db') });
    const url = 'postgresql://me:secret@db:5433/longhand?password=secret';
    expect(parseStoreLocation(url)).toEqual({ kind: 'postgres', url, display: 'postgres://me@db:5433/longhand' });
  });

  it.each(['mysql://db/longhand', 'sqlite:', '', 'postgres://['])('is not "%s"', (where) => {
    expect(() => parseStoreLocation(where)).toThrow(matchError('store_misnamed'));
  });

  it('is read from the environment, and has no default: nothing is stored that nobody asked for', () => {
    expect(readStoreUrl({ LONGHAND_STORE: 'none' })).toBeNull();
    expect(readStoreUrl({ LONGHAND_STORE: 'memory:' })).toBe('memory:');
    expect(readStoreUrl({ HOME: '/home/me', XDG_DATA_HOME: '/data' })).toBeNull();
  });
});
