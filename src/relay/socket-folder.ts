/**
 * The folder of the workers' sockets: one for each namespace, in the user's data folder. Where its path is too long for a
 * socket, it is a folder among the temporary files instead, named after the data folder.
 *
 * F1 Only the user may enter the folder and connect to a socket: modes 0700 and 0600.
 * F2 A socket has its final name only when its worker accepts connections. So a refused connection to a socket whose process
 *    is gone means that the worker was killed, and the socket is removed.
 * F3 Every user may create folders among the temporary files. One of another user is not used: its sockets could send
 *    tokens of their own.
 */

import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { countUtf8Bytes } from '../core/lib/index.js';

const suffix = '.sock';

/** Bytes of a socket's path: the limit of macOS. Linux has 4 more. */
const maxPathBytes = 103;
/** Bytes of a socket's name with the slash before it, while it is created: `/4194304-0123abcd.sock.new`. */
const maxNameBytes = 26;

/** Returns the folder of a namespace. */
export function getSocketFolder(namespaceId: string, env: NodeJS.ProcessEnv): string {
  const tokens = join(getDataFolder(env), 'tokens');
  const folder = join(tokens, toShortName(namespaceId));
  if (countUtf8Bytes(folder) + maxNameBytes <= maxPathBytes) return folder;
  return join(tmpdir(), `longhand-${toShortName(JSON.stringify([tokens, namespaceId]))}`);
}

/** Also where clients and workers belong to different projects: sockets hold no content. */
function getDataFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'longhand');
}

function toShortName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Creates the folder if it is missing. F1. @throws Error for a folder of another user. F3 */
export async function createSocketFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await isOwnFolder(folder))) throw new Error(`${folder} belongs to another user, or is a link`);
  await chmod(folder, 0o700);
}

/** F3. The data folder is the user's by definition, also where a volume reports another owner. */
async function isOwnFolder(folder: string): Promise<boolean> {
  if (dirname(folder) !== tmpdir()) return true;
  const entry = await lstat(folder).catch(() => null);
  return entry?.isDirectory() === true && entry.uid === process.getuid?.();
}

/** Lists the sockets of all workers; empty without a folder. */
export async function listSockets(folder: string): Promise<readonly string[]> {
  const names = (await isOwnFolder(folder)) ? await readdir(folder).catch(() => []) : [];
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
