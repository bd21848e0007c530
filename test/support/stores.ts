/** Runs the same tests on the databases of a store: SQLite in memory and in a file, and a real Postgres. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, inject } from 'vitest';
import type { Store } from '../../src/entries/store.js';
import { openStore } from '../../src/store/db/open.js';
import { isLong } from './budget.js';
import { runStatement } from './postgres.js';

export type Database = 'memory' | 'file' | 'postgres';

/**
 * Opens the store of the current test: each test has its own, which is empty at first and deleted at the end. A second call
 * in the same test opens the same store with another connection, except in memory, where it opens another store.
 */
export interface Open {
  (): Promise<Store>;
  /** Returns the location for `openStore`, in this process or another; before the first `open` it has no tables. */
  readonly where: () => Promise<string>;
  readonly database: Database;
}

/** The databases of a suite in the long form, and those of them in the short form. */
interface Databases {
  readonly long: readonly Database[];
  readonly short: readonly Database[];
}

const all = ['memory', 'file', 'postgres'] as const;
/** Several processes can open these. */
const shared = ['file', 'postgres'] as const;

const inFile: Databases = { long: all, short: ['file'] };
/** Of one file of each store: so its statements run on Postgres in the short form too. */
export const alsoOnPostgres: Databases = { long: all, short: shared };
export const inEveryForm: Databases = { long: all, short: all };
export const sharedDatabases: Databases = { long: shared, short: ['file'] };
export const sharedInEveryForm: Databases = { long: shared, short: shared };

/** Runs the suite on these databases. Default: all in the long form, SQLite in a file in the short form. */
export function describeStores(suite: (open: Open) => void, databases: Databases | readonly Database[] = inFile): void {
  const some = 'long' in databases ? databases[isLong ? 'long' : 'short'] : databases;
  for (const database of some) describe(`on ${named[database]}`, () => suite(opener(database)));
}

const named = { memory: 'SQLite in memory', file: 'SQLite in a file', postgres: 'Postgres' } as const;

function opener(database: Database): Open {
  let fresh: Promise<Fresh> | null = null;
  const stores: Store[] = [];
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await (await fresh)?.remove();
    fresh = null;
  });
  const where = async () => {
    fresh ??= makers[database]();
    return (await fresh).where;
  };
  const open = async () => {
    if (database === 'postgres') fresh ??= freshPostgresStore();
    const store = await openStore(await where());
    stores.push(store);
    return store;
  };
  return Object.assign(open, { where, database });
}

export interface Fresh {
  readonly where: string;
  readonly remove: () => Promise<void>;
}

const makers: Readonly<Record<Database, () => Promise<Fresh>>> = {
  memory: async () => ({ where: 'memory:', remove: async () => {} }),
  file: freshFile,
  postgres: freshPostgres,
};

export async function freshFile(): Promise<Fresh> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-store-'));
  return { where: `sqlite:${join(folder, 'store.db')}`, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The store of the current test. */
export interface FileStore {
  readonly store: Store;
  /** The location for `openStore` and `LONGHAND_STORE`. */
  readonly where: string;
}

/** Opens an empty SQLite store in a file before each test, and deletes it at the end. Called at the top of the file. */
export function useFileStore(): FileStore {
  let fresh: Fresh;
  let store: Store;
  beforeEach(async () => {
    fresh = await freshFile();
    store = await openStore(fresh.where);
  });
  afterEach(async () => {
    await store.close();
    await fresh.remove();
  });
  return {
    get store() {
      return store;
    },
    get where() {
      return fresh.where;
    },
  };
}

/** Creates an empty database on the Postgres server of the run. */
export async function freshPostgres(): Promise<Fresh> {
  return createDatabase('');
}

/** Creates a database with the tables of a store. */
export async function freshPostgresStore(): Promise<Fresh> {
  return createDatabase(` template ${await askStarter('/template')}`);
}

async function createDatabase(how: string): Promise<Fresh> {
  const server = await askStarter('/');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(server, `create database ${name}${how}`);
  const url = new URL(server);
  url.pathname = name;
  return { where: url.href, remove: () => runStatement(server, `drop database ${name} with (force)`) };
}

async function askStarter(path: string): Promise<string> {
  const answer = await fetch(new URL(path, inject('postgresStarter')));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
