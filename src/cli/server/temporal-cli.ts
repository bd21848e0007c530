/**
 * Finds or installs the `temporal` command, whose dev server is the local Temporal server.
 *
 * The order is `TEMPORAL_CLI_PATH`, `PATH`, the download of a Temporal SDK, Longhand's cache; then a download, then a build
 * with Go. It needs no installed package: set-up runs it before anything is built.
 */

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { LonghandError, toErrorMessage } from '../../core/lib/index.js';
import { buildTemporalCli, downloadTemporalCli, type InstallCli, pinnedVersion } from './temporal-cli-install.js';

const execute = promisify(execFile);

/** Starting an executable of 250 MB from a cold disk takes seconds. */
const versionTimeoutMs = 30_000;

export interface TemporalCli {
  readonly path: string;
  /** Versions of the CLI and its server: `1.5.1, server 1.29.1`. */
  readonly version: string;
  /** Place where it was found, for people. */
  readonly source: string;
}

export interface FindCliOptions {
  /** Default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder with the downloads of SDKs. Default: the system's temporary folder. */
  readonly sdkFolder?: string;
}

/** Returns Longhand's cache folder, which all checkouts share. */
export function getCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'longhand');
}

/**
 * Looks for the Temporal CLI; installs nothing.
 *
 * @returns null when it is not found
 * @throws LonghandError `invalid_environment` when `TEMPORAL_CLI_PATH` is not the Temporal CLI: no other CLI replaces it
 * @example (await findTemporalCli())?.path
 */
export async function findTemporalCli({ env = process.env, sdkFolder = tmpdir() }: FindCliOptions = {}) {
  const cliPath = env.TEMPORAL_CLI_PATH;
  if (cliPath) {
    const cli = await inspectCli(cliPath, 'TEMPORAL_CLI_PATH');
    if (cli) return cli;
    throw new LonghandError(
      'invalid_environment',
      `TEMPORAL_CLI_PATH is "${cliPath}", which is not a Temporal CLI that runs here. Correct it, or unset it.`,
    );
  }
  for (const { path, source } of [
    ...listPathCandidates(env),
    ...(await listSdkCandidates(sdkFolder)),
    getCacheCandidate(env),
  ]) {
    const cli = await inspectCli(path, source);
    if (cli) return cli;
  }
  return null;
}

/** Ways to install the CLI, in order. Tests replace them. */
export interface EnsureCliOptions extends FindCliOptions {
  readonly installs?: readonly InstallCli[];
}

/**
 * Finds the Temporal CLI, or installs it into Longhand's cache.
 *
 * @param report receives a line when an operation takes long
 * @throws LonghandError `cli_not_found` with what was tried and how to fix it
 * @example const cli = await ensureTemporalCli((line) => console.error(line));
 */
export async function ensureTemporalCli(
  report: (line: string) => void,
  options: EnsureCliOptions = {},
): Promise<TemporalCli> {
  const env = options.env ?? process.env;
  const temporalCli = await findTemporalCli(options);
  if (temporalCli) return temporalCli;

  const { path, source } = getCacheCandidate(env);
  const failures: string[] = [];
  for (const install of options.installs ?? [downloadTemporalCli, buildTemporalCli]) {
    try {
      await install({ target: path, env, report });
      const installed = await inspectCli(path, source);
      if (installed) return installed;
      failures.push(`${path} was installed and does not run`);
    } catch (error) {
      failures.push(toErrorMessage(error));
    }
  }
  throw new LonghandError(
    'cli_not_found',
    [
      `Temporal CLI not found in TEMPORAL_CLI_PATH, PATH, an SDK's downloads or ${getCacheFolder(env)}, and not installed:`,
      ...failures.map((failure) => `  - ${failure}`),
      'Do one of these and try again:',
      '  - install it (https://docs.temporal.io/cli), or set TEMPORAL_CLI_PATH to it',
      `  - install Go (https://go.dev/dl): Longhand then builds version ${pinnedVersion} itself`,
      '  - set TEMPORAL_ADDRESS to a running Temporal server',
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
 * Lists the downloads of Temporal SDKs: `temporal-<sdk>-<version>` in the temporary folder. Others can write there too, so
 * only files of this user are run.
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

/** Reads the version of an executable; null if it does not run, or is another program called `temporal`. */
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
