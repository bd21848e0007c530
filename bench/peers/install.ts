/** Installs the packages of the measured systems into a folder outside of the checkout, at pinned versions. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { printProgress } from './peer.js';

const execute = promisify(execFile);
const home = join(homedir(), '.cache', 'longhand', 'peers');

export type PackageSet = 'node-24' | 'langgraph' | 'restate' | 'dbos' | 'ai-sdk' | 'eve';

/** Packages whose install scripts are run: all others of a set are installed without them. */
const compiled: Partial<Record<PackageSet, readonly string[]>> = {
  'node-24': ['node'],
  langgraph: ['better-sqlite3'],
};

export async function readPins(set: PackageSet): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(new URL('./packages.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as Record<PackageSet, Record<string, string>>)[set];
}

/** Installs a set unless it is in place. @returns its folder */
export async function installPackages(set: PackageSet): Promise<string> {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: await readPins(set) }, null, 2);
  const folder = join(home, `${set}-${createHash('sha256').update(manifest).digest('hex').slice(0, 8)}`);
  if (existsSync(folder)) return folder;
  printProgress(`installing the packages of ${set}`);
  // Renamed when complete: a folder with the right name has all of them.
  const draft = `${folder}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await writeFile(join(draft, 'package.json'), manifest);
    const options = { cwd: draft, maxBuffer: 2 ** 26 };
    await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], options);
    for (const name of compiled[set] ?? []) await execute('npm', ['rebuild', name, '--ignore-scripts=false'], options);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

/** Path of the Node that a worker runs on. */
export async function findNode(major: 20 | 24): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  if (major === 20) throw new Error('The driver has to run on Node 20.');
  return join(await installPackages('node-24'), 'node_modules', 'node', 'bin', 'node');
}

/**
 * Puts a service into the folder of its packages, as one file with what it imports of this project.
 *
 * @param name of a file in `services`, without its ending
 * @param path in the folder
 * @returns its whole path
 */
export async function placeService(folder: string, name: string, path = `${name}.mjs`): Promise<string> {
  const outfile = join(folder, path);
  await build({
    entryPoints: [fileURLToPath(new URL(`./services/${name}.mjs`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
