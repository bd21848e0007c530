/** Builds of commits, each in a folder of its own outside the checkout, with its own packages: a build is made once. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getCacheFolder } from '../../src/cli/server/temporal-cli.js';

/** This checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds have hundreds of megabytes. */
const maxKeptBuilds = 3;

export interface Build {
  readonly commit: string;
  readonly folder: string;
}

/** @throws Error for a reference that this repository does not have */
export async function resolveCommit(ref: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root });
    return stdout.trim();
  } catch {
    throw new Error(`Commit "${ref}" not found in this repository. Fetch it, or name another one.`);
  }
}

/** Returns the build of a commit, and makes it where it is missing. */
export async function openBuild(commit: string, progress: (line: string) => void): Promise<Build> {
  const builds = join(getCacheFolder(), 'builds');
  const folder = join(builds, commit);
  if (!existsSync(folder)) {
    progress(`building ${commit.slice(0, 12)} (packages, TypeScript, workflow bundle; 1 to 3 minutes)`);
    await makeBuild(commit, folder);
    await removeOldBuilds(builds);
  }
  const now = new Date();
  await utimes(folder, now, now);
  return { commit, folder };
}

/** Made under another name: a folder with the commit's name is complete, also with two processes at once. */
async function makeBuild(commit: string, folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await extractCommit(commit, unfinished);
    await run(process.execPath, ['scripts/setup.mjs', 'packages', 'build'], unfinished);
    await rename(unfinished, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** By way of a file: in a pipe, tar may close its end before git has closed its own, which Node reports as an error. */
async function extractCommit(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'commit.tar');
  await run('git', ['archive', `--output=${archive}`, commit], root);
  await run('tar', ['-x', '-f', archive, '-C', folder], folder);
  await rm(archive);
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  // Only the result of the bench belongs on its stdout.
  const [code] = (await once(spawn(program, args, { cwd, stdio: ['ignore', 2, 2] }), 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed in ${cwd}.`);
}

async function removeOldBuilds(builds: string): Promise<void> {
  const names = (await readdir(builds)).filter((name) => /^[0-9a-f]{40}$/.test(name));
  const used = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(builds, name))).mtimeMs })));
  const old = used.sort((a, b) => b.at - a.at).slice(maxKeptBuilds);
  for (const { name } of old) await rm(join(builds, name), { recursive: true, force: true });
}
