/**
 * The restrictions of a container that Linux has without one: the user, no capabilities, a read-only file system with `/tmp` in
 * memory. Only root can set them; otherwise services run without.
 */

import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCacheFolder } from '../cache-folder.mjs';
import { root } from '../child.mjs';

const script = fileURLToPath(new URL('isolate.sh', import.meta.url));
const checkout = root.replace(/\/$/, '');

/** Folders that other users cannot enter: the home of this user, and one that the checkout is in. */
function listClosedFolders() {
  const closed = [homedir()];
  for (let folder = dirname(checkout); folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0 && !closed[0].startsWith(`${folder}/`)) closed[1] = folder;
  return closed.filter((folder, index) => index === 0 || !folder.startsWith(`${closed[0]}/`));
}

/** What services need in closed folders: our caches, Pythons that are installed there, and the checkout. */
function listKeptFolders(closed) {
  const home = homedir();
  const folders = [getCacheFolder(), join(home, '.pyenv'), checkout, realpathSync(join(root, 'node_modules'))];
  return folders.filter((folder) => existsSync(folder) && closed.some((each) => folder.startsWith(`${each}/`)));
}

let available = null;

/** Returns whether services can be isolated here. */
export function canIsolate() {
  available ??= process.getuid?.() === 0 && tryIsolation();
  return available;
}

function tryIsolation() {
  const [program, ...args] = wrapCommand(['test', '-r', join(root, 'package.json')], { user: '1000:1000' });
  try {
    execFileSync(program, args, { stdio: 'ignore', env: { PATH: process.env.PATH, HOME: homedir() } });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the command that runs another one isolated.
 *
 * @param {string[]} command
 * @param {{ user: string, memory?: string[], writable?: string[] }} options  `user`: as in the file, `1000:1000`
 */
export function wrapCommand(command, { user, memory = [], writable = [] }) {
  const closed = listClosedFolders();
  const lists = [memory, writable, listKeptFolders(closed), closed].map((folders) => folders.join(':'));
  return ['unshare', '--mount', 'sh', script, ...user.split(':'), ...lists, ...command];
}

/** Makes a folder that of the user, as the mount of an image's volume does. */
export function giveTo(user, ...folders) {
  const [uid, gid] = user.split(':').map(Number);
  for (const folder of folders) chownSync(folder, uid, gid);
}
