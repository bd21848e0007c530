/** The same small shop in an SQLite file and in a real Postgres, with a user who may only read and one who may change it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findSqliteDriver } from '../../src/store/db/sqlite-driver.js';
import { freshPostgres } from './stores.js';

const rows = "(1, 'Ada', 1200), (2, 'Ben', 800), (3, 'Cyd', 5000)";

export interface ShopFile {
  readonly file: string;
  readonly count: () => number;
  readonly remove: () => Promise<void>;
}

export async function createShopFile(): Promise<ShopFile> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-sql-'));
  const file = join(folder, 'shop.db');
  const driver = await findSqliteDriver();
  if (driver.kind === 'missing') throw new Error(driver.reason);
  const open = () => driver.open(file);
  const made = open();
  made.exec(
    `create table orders (id integer primary key, customer text, total integer); insert into orders values ${rows}`,
  );
  made.close();
  const count = () => {
    const database = open();
    const found = database.prepare('select count(*) as n from orders').all([]) as { n: number }[];
    database.close();
    return found[0]?.n ?? 0;
  };
  return { file, count, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface ShopServer {
  /** The owner, a superuser. */
  readonly owner: string;
  /** May only read. */
  readonly reader: string;
  /** May change orders. */
  readonly writer: string;
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
  readonly remove: () => Promise<void>;
}

export async function createShopServer(): Promise<ShopServer> {
  const { where, remove } = await freshPostgres();
  const query = async (sql: string) => {
    const client = new pg.Client(where);
    await client.connect();
    return await client.query(sql).then(
      ({ rows: found }) => client.end().then(() => found),
      (error) => client.end().then(() => Promise.reject(error)),
    );
  };
  const name = new URL(where).pathname.slice(1);
  const [reader, writer] = [`r_${name}`, `w_${name}`];
  await query(`create table orders (id int primary key, customer text, total int); insert into orders values ${rows};
    create sequence numbers; create role ${reader} login; create role ${writer} login;
    grant select on orders to ${reader}; grant usage on sequence numbers to ${reader}, ${writer};
    grant select, insert, update, delete on orders to ${writer}`);
  const as = (user: string) => {
    const url = new URL(where);
    url.username = user;
    return url.href;
  };
  return {
    owner: where,
    reader: as(reader),
    writer: as(writer),
    query,
    remove: async () => {
      await query(`drop owned by ${reader}, ${writer}; drop role ${reader}; drop role ${writer}`);
      await remove();
    },
  };
}
