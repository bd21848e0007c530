/**
 * The folder of the workers' sockets: one for each namespace, in the user's data folder.
 *
 * F1 Only the user may enter the folder and connect to a socket: modes 0700 and 0600.
 * F2 A socket has its final name only when its worker accepts connections. So a refused connection to a socket whose process
 *    is gone means that the worker was killed, and the socket is removed.
 */

import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { getDataFolder } from '../store/db/store-location.js';

const suffix = '.sock';

/** Returns the folder of a namespace. Its name is short: the path of a socket has at most about 100 bytes. */
export function getSocketFolder(namespaceId: string, env: NodeJS.ProcessEnv): string {
  return join(getDataFolder(env), 'tokens', createHash('sha256').update(namespaceId).digest('hex').slice(0, 12));
}

/** Creates the folder if it is missing. F1. */
export async function createSocketFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Lists the sockets of all workers; empty without a folder. */
export async function listSockets(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));
}

/** Returns the name of a socket of this process. */
export function createSocketName(id: string): string {
  return `${process.pid}-${id}${suffix}`;
}

/** Removes the sockets of workers that were killed. */
export async function removeStaleSockets(folder: string): Promise<void> {
  await Promise.all((await listSockets(folder)).map(removeIfStale));
}

async function removeIfStale(path: string): Promise<void> {
  if (!isProcessGone(path)) return;
  if (await isRefused(path)) await rm(path, { force: true });
}

/** F2. A process of another container is never found here, but its socket accepts connections. */
function isProcessGone(path: string): boolean {
  const pid = Number.parseInt(basename(path), 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED'));
  });
}
