/**
 * Finds the `temporal` command, whose dev server is the local Temporal, or gets it.
 *
 * Looked for in this order: `TEMPORAL_CLI_PATH`, `PATH`, what a Temporal SDK downloaded before, Longhand's own cache.
 * Got by download, else built with Go. Only Node's own modules are used: set-up runs this before anything is built.
 */

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { buildTemporalCli, downloadTemporalCli, type InstallCli, pinnedVersion } from './temporal-cli-install.js';

const execute = promisify(execFile);

/** Starting an executable of 250 MB from a cold disk takes a while; one that hangs is not ours to wait for. */
const versionTimeoutMs = 30_000;

export interface TemporalCli {
  readonly path: string;
  /** Its own version and its server's: `1.5.1, server 1.29.1`. */
  readonly version: string;
  /** Where it was found, for a person. */
  readonly source: string;
}

export interface FindCliOptions {
  /** Default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where SDKs put their downloads. Default: the system's temporary folder. */
  readonly sdkFolder?: string;
}

/** Longhand's folder for what is worth keeping between checkouts. */
export function getCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'longhand');
}

/**
 * Looks for the Temporal CLI without installing anything.
 *
 * @returns null where there is none
 * @throws Error if `TEMPORAL_CLI_PATH` names something that is not the Temporal CLI: whoever set it wants that one
 * @example (await findTemporalCli())?.path
 */
export async function findTemporalCli({ env = process.env, sdkFolder = tmpdir() }: FindCliOptions = {}) {
  const named = env.TEMPORAL_CLI_PATH;
  if (named) {
    const found = await inspectCli(named, 'TEMPORAL_CLI_PATH');
    if (found) return found;
    throw new Error(
      `TEMPORAL_CLI_PATH is "${named}", which is not a Temporal CLI that runs here. Point it at one, or unset it.`,
    );
  }
  for (const { path, source } of [
    ...listPathCandidates(env),
    ...(await listSdkCandidates(sdkFolder)),
    getCacheCandidate(env),
  ]) {
    const found = await inspectCli(path, source);
    if (found) return found;
  }
  return null;
}

/** Ways to get the CLI, in order. Tests replace them. */
export interface EnsureCliOptions extends FindCliOptions {
  readonly installs?: readonly InstallCli[];
}

/**
 * Finds the Temporal CLI, or installs it into Longhand's cache.
 *
 * @param say told what takes a while, one line at a time
 * @throws Error that says what was tried and what a person can do
 * @example const cli = await ensureTemporalCli((line) => console.error(line));
 */
export async function ensureTemporalCli(
  say: (line: string) => void,
  options: EnsureCliOptions = {},
): Promise<TemporalCli> {
  const env = options.env ?? process.env;
  const found = await findTemporalCli(options);
  if (found) return found;

  const { path, source } = getCacheCandidate(env);
  const failures: string[] = [];
  for (const install of options.installs ?? [downloadTemporalCli, buildTemporalCli]) {
    try {
      await install({ target: path, env, report: say });
      const installed = await inspectCli(path, source);
      if (installed) return installed;
      failures.push(`${path} was installed and does not run`);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    [
      `No Temporal CLI: not in TEMPORAL_CLI_PATH, PATH, an SDK's downloads or ${getCacheFolder(env)}, and`,
      ...failures.map((failure) => `  - ${failure}`),
      'Do one of these and try again:',
      '  - install it (https://docs.temporal.io/cli), or set TEMPORAL_CLI_PATH to it',
      `  - install Go (https://go.dev/dl): Longhand then builds version ${pinnedVersion} itself`,
      '  - set TEMPORAL_ADDRESS to a Temporal server that runs already',
    ].join('\n'),
  );
}

interface Candidate {
  readonly path: string;
  readonly source: string;
}

function listPathCandidates(env: NodeJS.ProcessEnv): readonly Candidate[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => ({ path: join(folder, 'temporal'), source: 'PATH' }));
}

/**
 * What a Temporal SDK's test environment downloaded: `temporal-<sdk>-<version>` in the temporary folder.
 * Others can write there too, so only our own files are run.
 */
async function listSdkCandidates(folder: string): Promise<readonly Candidate[]> {
  const names = await readdir(folder).catch(() => []);
  const candidates: Candidate[] = [];
  for (const name of names
    .filter((name) => /^temporal-sdk-[a-z]+-[\w.-]+$/.test(name))
    .sort()
    .reverse()) {
    const path = join(folder, name);
    const owner = (await stat(path).catch(() => null))?.uid;
    if (owner === process.getuid?.()) candidates.push({ path, source: "an SDK's download" });
  }
  return candidates;
}

function getCacheCandidate(env: NodeJS.ProcessEnv): Candidate {
  const folder = getCacheFolder(env);
  const home = env.HOME || homedir();
  return { path: join(folder, 'temporal'), source: folder.startsWith(home) ? `~${folder.slice(home.length)}` : folder };
}

/** Asks the executable for its version; null if it is none, or something else that is called `temporal`. */
async function inspectCli(path: string, source: string): Promise<TemporalCli | null> {
  try {
    const { stdout } = await execute(path, ['--version'], { timeout: versionTimeoutMs });
    const match = /^temporal version (\S+)(?: \(Server ([^,)]+))?/.exec(stdout);
    if (!match) return null;
    return { path, version: match[2] ? `${match[1]}, server ${match[2]}` : `${match[1]}`, source };
  } catch {
    return null;
  }
}
