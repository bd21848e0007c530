/**
 * Runs Git on one repository. A command starts no other program, whatever the settings say, unless its call allows that:
 * no hooks, no monitors, no pagers, no programs that show or check what is there, and no connections.
 */

import type { SecretMasker } from '../../../core/redact/known-secrets.js';
import { ToolError } from '../../../tools/define/errors.js';
import { type GitSetting, pickVariables, type Variables, withGitSettings } from '../command-environment.js';
import { createHeadTailBuffer, NotStarted, runCommand } from '../run-command.js';

export interface GitResult {
  /** Null where it took too long. */
  readonly code: number | null;
  readonly output: string;
  /** What it said of what went wrong, or of what it did. */
  readonly errorOutput: string;
}

interface GitPlace {
  readonly cwd: string;
  readonly env: Variables;
  readonly hider: SecretMasker;
  readonly signal: AbortSignal;
  /** Null where Git is to find it. */
  readonly gitDir: string | null;
  readonly settings: readonly GitSetting[];
}

interface GitCall {
  readonly timeoutMs?: number;
  /** Names of variables of the worker's that this call needs although they open something. */
  readonly credentialVariables?: readonly string[];
  /** What it may start: programs that connect to a remote; or these and the repository's hooks. Default nothing. */
  readonly starts?: 'connections' | 'hooks';
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitResult>;

const outputBytes = 2_000_000;
const timeoutMs = 50_000;
const globalOptions = ['--no-pager'];
/**
 * A path that a model wrote is a path, whatever Git could read into it; and reading writes nothing. Git passes both on as
 * variables, so calls that start hooks go without: a hook that asks for '*.js' would find no file. They mark paths themselves.
 */
const safeOptions = ['--literal-pathspecs', '--no-optional-locks'];
const fixedSettings: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
];
const noHooks: GitSetting = ['core.hooksPath', '/dev/null'];
/** Objects that are missing in a partial clone are not fetched. */
const noConnections = { GIT_ALLOW_PROTOCOL: 'none' };

/** @throws {NotStarted} when Git is not there */
export async function runGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitResult> {
  const { cwd, hider, signal, gitDir } = place;
  const { starts } = call;
  // Hooks get no GIT_DIR, which would send their own Git commands in other folders to this repository.
  const where = gitDir === null || starts === 'hooks' ? [] : ['--git-dir', gitDir, '--work-tree', cwd];
  const settings = [...fixedSettings, ...(starts === 'hooks' ? [] : [noHooks]), ...place.settings];
  const env = {
    ...place.env,
    ...(starts === undefined ? noConnections : {}),
    ...pickVariables(process.env, call.credentialVariables ?? []),
  };
  const out = createHeadTailBuffer(outputBytes);
  const said = createHeadTailBuffer(outputBytes);
  const end = await runCommand({
    file: 'git',
    args: [...globalOptions, ...(starts === 'hooks' ? [] : safeOptions), ...where, ...args],
    cwd,
    env: withGitSettings(env, settings),
    timeoutMs: call.timeoutMs ?? timeoutMs,
    signal,
    onOutput: (chunk, from) => (from === 'stdout' ? out : said).add(chunk),
  }).catch((error: unknown) => {
    if (error instanceof NotStarted && error.message === 'ENOENT') throw createNoGitError(error);
    throw error;
  });
  return {
    code: end.by === 'exit' ? end.code : null,
    output: hider.text(out.text()),
    errorOutput: hider.text(said.text().trim()),
  };
}

const createNoGitError = (cause: Error) => new NotStarted('Git is not installed on the worker', { cause });

/** A path for a call that starts hooks, where Git would take `*` and a colon at the beginning for more than a name. */
export function toLiteralPath(path: string): string {
  return `:(literal)${path}`;
}

/** What a command gave out. @throws {ToolError} with what Git said, where it failed */
export async function readGit(git: Git, args: readonly string[], call?: GitCall): Promise<string> {
  const { code, output, errorOutput } = await git(args, call);
  if (code === 0) return output;
  throw new ToolError(code === null ? `git ${args[0]} took too long.` : `git ${args[0]} failed: ${errorOutput}`);
}

/** The commit that is checked out; null before the first. @throws {Error} when Git does not say */
export async function readHead(git: Git): Promise<string | null> {
  const { code, output } = await git(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code === null) throw new Error('Git did not answer in time.');
  return code === 0 ? output.trim() : null;
}
