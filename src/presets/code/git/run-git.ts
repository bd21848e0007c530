/**
 * Runs Git on one repository. Regardless of the settings, a command starts no other program (hook, monitor, pager, diff or
 * signature program, connection) unless its call allows it.
 */

import type { SecretMasker } from '../../../core/redact/index.js';
import { ToolError } from '../../../tools/define/index.js';
import {
  type CommandVariables,
  createHeadTailBuffer,
  NotStarted,
  pickVariables,
  runCommand,
} from '../../../tools/process/index.js';
import { type GitSetting, withGitSettings } from './settings.js';

export interface GitResult {
  /** Null after a timeout. */
  readonly code: number | null;
  readonly output: string;
  /** Standard error: errors and progress. */
  readonly errorOutput: string;
}

interface GitPlace {
  readonly cwd: string;
  readonly env: CommandVariables;
  readonly masker: SecretMasker;
  readonly signal: AbortSignal;
  /** Null if Git searches for it. */
  readonly gitDir: string | null;
  readonly settings: readonly GitSetting[];
}

interface GitCall {
  readonly timeoutMs?: number;
  /** Names of the worker's variables with credentials that this call needs. */
  readonly credentialVariables?: readonly string[];
  /** Programs that it may start: those that connect to a remote, or also the repository's hooks. Default: none. */
  readonly starts?: 'connections' | 'hooks';
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitResult>;

const outputBytes = 2_000_000;
const timeoutMs = 50_000;
const globalOptions = ['--no-pager'];
/**
 * Paths are literal, and reading writes nothing. Git passes both options to its children as variables, so calls that start
 * hooks omit them (a hook could not match '*.js') and mark paths with `toLiteralPath`.
 */
const safeOptions = ['--literal-pathspecs', '--no-optional-locks'];
const fixedSettings: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
];
const noHooks: GitSetting = ['core.hooksPath', '/dev/null'];
/** Prevents a partial clone from fetching missing objects. */
const noConnections = { GIT_ALLOW_PROTOCOL: 'none' };

/** @throws {NotStarted} if Git is not installed */
export async function runGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitResult> {
  const { cwd, masker, signal, gitDir } = place;
  const { starts } = call;
  // Hooks get no GIT_DIR: their Git commands in other folders would use this repository.
  const where = gitDir === null || starts === 'hooks' ? [] : ['--git-dir', gitDir, '--work-tree', cwd];
  const settings = [...fixedSettings, ...(starts === 'hooks' ? [] : [noHooks]), ...place.settings];
  const env = {
    ...place.env,
    ...(starts === undefined ? noConnections : {}),
    ...pickVariables(process.env, call.credentialVariables ?? []),
  };
  const out = createHeadTailBuffer(outputBytes);
  const errors = createHeadTailBuffer(outputBytes);
  const end = await runCommand({
    file: 'git',
    args: [...globalOptions, ...(starts === 'hooks' ? [] : safeOptions), ...where, ...args],
    cwd,
    env: withGitSettings(env, settings),
    timeoutMs: call.timeoutMs ?? timeoutMs,
    signal,
    onOutput: (chunk, from) => (from === 'stdout' ? out : errors).add(chunk),
  }).catch((error: unknown) => {
    if (error instanceof NotStarted && error.message === 'ENOENT') throw createNoGitError(error);
    throw error;
  });
  return {
    code: end.by === 'exit' ? end.code : null,
    output: masker.text(out.text()),
    errorOutput: masker.text(errors.text().trim()),
  };
}

const createNoGitError = (cause: Error) => new NotStarted('Git is not installed on the worker', { cause });

/** Marks a path as literal for calls that start hooks: Git would interpret `*` and a leading colon. */
export function toLiteralPath(path: string): string {
  return `:(literal)${path}`;
}

/** Returns the output of a command. @throws {ToolError} with Git's errors if it failed */
export async function readGit(git: Git, args: readonly string[], call?: GitCall): Promise<string> {
  const { code, output, errorOutput } = await git(args, call);
  if (code === 0) return output;
  throw new ToolError(code === null ? `git ${args[0]} timed out.` : `git ${args[0]} failed: ${errorOutput}`);
}

/** Returns the current commit; null before the first. @throws {Error} if Git times out */
export async function readHead(git: Git): Promise<string | null> {
  const { code, output } = await git(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code === null) throw new Error('Git did not answer in time.');
  return code === 0 ? output.trim() : null;
}
