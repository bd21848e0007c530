/** Stage `packages`: node_modules holds exactly what package-lock.json asks for. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

/** Older versions lack what the packages need. The floor is package.json's `engines`: `>=20.19`. */
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
 * Whether what npm noted down as installed is what the lock file asks for.
 *
 * npm writes `node_modules/.package-lock.json` when an install is complete, whoever asked for it: no stamp of our own
 * can know as much. Packages for other platforms are optional and rightly missing.
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

export async function packages(say) {
  if (await inPlace()) return 'packages in place';
  say('installing packages (npm install)');
  // Not `npm ci`: it refuses a lock file that lacks other platforms' binaries, which a registry may not carry. This keeps
  // to the lock file as well, and leaves it as it is. No install script may run; the few that are needed are a stage of
  // their own (native.mjs).
  const args = ['install', '--no-save', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await capture(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (code !== 0) throw new SetupError(`npm install failed:\n${output.trim()}`);
  return 'packages installed';
}
