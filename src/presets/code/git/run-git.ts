/**
 * Runs Git on one repository. A command starts no other program, whatever the settings say, unless its call allows that:
 * no hooks, no monitors, no pagers, no programs that show or check what is there, and no connections.
 */

import type { Hider } from '../../../core/redact/known-secrets.js';
import { ToolError } from '../../../tools/define/errors.js';
import { type GitSetting, pick, type Variables, withGitSettings } from '../clean-environment.js';
import { keepEnds, NotStarted, runCommand } from '../run-command.js';

export interface GitEnd {
  /** Null where it took too long. */
  readonly code: number | null;
  readonly out: string;
  /** What it said of what went wrong, or of what it did. */
  readonly said: string;
}

interface GitPlace {
  readonly cwd: string;
  readonly env: Variables;
  readonly hider: Hider;
  readonly signal: AbortSignal;
  /** Null where Git is to find it. */
  readonly gitDir: string | null;
  readonly settings: readonly GitSetting[];
}

interface GitCall {
  readonly timeoutMs?: number;
  /** Names of variables of the worker's that this call needs although they open something. */
  readonly opening?: readonly string[];
  /** What it may start: programs that connect to a remote; or these and the repository's hooks. Default nothing. */
  readonly starts?: 'connections' | 'hooks';
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitEnd>;

const outputBytes = 2_000_000;
const timeoutMs = 50_000;
const always = ['--no-pager'];
/**
 * A path that a model wrote is a path, whatever Git could read into it; and reading writes nothing. Git passes both on as
 * variables, so calls that start hooks go without: a hook that asks for '*.js' would find no file. They mark paths themselves.
 */
const withoutHooks = ['--literal-pathspecs', '--no-optional-locks'];
const alwaysSet: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
];
const noHooks: GitSetting = ['core.hooksPath', '/dev/null'];
/** Objects that are missing in a partial clone are not fetched. */
const noConnections = { GIT_ALLOW_PROTOCOL: 'none' };

/** @throws {NotStarted} when Git is not there */
export async function runGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitEnd> {
  const { cwd, hider, signal, gitDir } = place;
  const { starts } = call;
  // Hooks get no GIT_DIR, which would send their own Git commands in other folders to this repository.
  const where = gitDir === null || starts === 'hooks' ? [] : ['--git-dir', gitDir, '--work-tree', cwd];
  const settings = [...alwaysSet, ...(starts === 'hooks' ? [] : [noHooks]), ...place.settings];
  const env = {
    ...place.env,
    ...(starts === undefined ? noConnections : {}),
    ...pick(process.env, call.opening ?? []),
  };
  const out = keepEnds(outputBytes);
  const said = keepEnds(outputBytes);
  const end = await runCommand({
    file: 'git',
    args: [...always, ...(starts === 'hooks' ? [] : withoutHooks), ...where, ...args],
    cwd,
    env: withGitSettings(env, settings),
    timeoutMs: call.timeoutMs ?? timeoutMs,
    signal,
    hear: (chunk, from) => (from === 'stdout' ? out : said).add(chunk),
  }).catch((error: unknown) => {
    if (error instanceof NotStarted && error.message === 'ENOENT') throw noGit(error);
    throw error;
  });
  return {
    code: end.by === 'exit' ? end.code : null,
    out: hider.text(out.text()),
    said: hider.text(said.text().trim()),
  };
}

const noGit = (cause: Error) => new NotStarted('Git is not installed on the worker', { cause });

/** A path for a call that starts hooks, where Git would take `*` and a colon at the beginning for more than a name. */
export function literalPath(path: string): string {
  return `:(literal)${path}`;
}

/** What a command gave out. @throws {ToolError} with what Git said, where it failed */
export async function read(git: Git, args: readonly string[], call?: GitCall): Promise<string> {
  const { code, out, said } = await git(args, call);
  if (code === 0) return out;
  throw new ToolError(code === null ? `git ${args[0]} took too long.` : `git ${args[0]} failed: ${said}`);
}

/** The commit that is checked out; null before the first. @throws {Error} when Git does not say */
export async function headOf(git: Git): Promise<string | null> {
  const { code, out } = await git(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code === null) throw new Error('Git did not answer in time.');
  return code === 0 ? out.trim() : null;
}
