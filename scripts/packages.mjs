/** Stage `packages`: node_modules as in package-lock.json. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

/** Rejects versions of Node below package.json's `engines`: `>=20.19`. */
export function checkNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const floor = engines.node.replace('>=', '');
  const [[major, minor], [leastMajor, leastMinor]] = [version, floor].map((text) => text.split('.').map(Number));
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new SetupError(
    `Longhand needs Node ${floor} or newer; this is ${version}. Install a newer one from https://nodejs.org and run this again.`,
  );
}

/**
 * Returns whether the installed packages are those of the lock file. npm writes `node_modules/.package-lock.json` after
 * each complete install. Optional packages may be missing: they are for other platforms.
 */
export function sameAsInstalled(lock, installed) {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .every(([path, wanted]) => {
      const found = installed.packages[path];
      return found === undefined
        ? wanted.optional === true || wanted.devOptional === true
        : found.version === wanted.version;
    });
}

async function inPlace() {
  const read = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));
  try {
    return sameAsInstalled(await read('package-lock.json'), await read('node_modules/.package-lock.json'));
  } catch {
    return false;
  }
}

export async function packages(announce) {
  if (await inPlace()) return 'packages in place';
  announce('installing packages (npm install)');
  // Not `npm ci`: it rejects a lock file without the binaries of other platforms, which a registry may not have. This
  // also installs what the lock file lists, and does not change it. Install scripts do not run: see native.mjs.
  const args = ['install', '--no-save', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await capture(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (code !== 0) throw new SetupError(`npm install failed:\n${output.trim()}`);
  return 'packages installed';
}
