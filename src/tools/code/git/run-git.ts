/**
 * Runs Git in the root. The folder must be the top of its repository: one above it is not the agent's, and is not found.
 * What the repository's settings would run to watch or to show its files is not run.
 */

import { ToolError } from '../../errors.js';
import { keepEnds } from '../keep-ends.js';
import { NotStarted, runCommand } from '../run-command.js';
import { openWorkshop, type Workshop } from '../workshop.js';

export interface GitEnd {
  /** Null where it took too long. */
  readonly code: number | null;
  readonly out: string;
  /** What it said of what went wrong, or of what it did. */
  readonly said: string;
}

export interface GitCall {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Names of variables of the worker's that this call needs although they open something. */
  readonly opening?: readonly string[];
}

export type Git = (args: readonly string[], more?: Pick<GitCall, 'timeoutMs' | 'opening'>) => Promise<GitEnd>;

const outputBytes = 2_000_000;
const timeoutMs = 50_000;
/** A path that a model wrote is a path, whatever Git could read into it. */
const always = [
  '--literal-pathspecs',
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotePath=false',
];

/** @throws {NotStarted} when Git is not there */
export async function runGit(workshop: Workshop, args: readonly string[], call: GitCall): Promise<GitEnd> {
  const { cwd, env, hider } = await openWorkshop(workshop);
  const opening = Object.fromEntries((call.opening ?? []).map((name) => [name, process.env[name]]));
  const out = keepEnds(outputBytes);
  const said = keepEnds(outputBytes);
  const end = await runCommand({
    file: 'git',
    args: [...always, ...args],
    cwd,
    env: { ...env, ...opening },
    timeoutMs: call.timeoutMs ?? timeoutMs,
    signal: call.signal,
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

/** Git in a repository, for one call of a tool. @throws {ToolError} when there is none, or no Git */
export async function openGit(workshop: Workshop, signal: AbortSignal): Promise<Git> {
  const git: Git = (args, more) => runGit(workshop, args, { signal, ...more });
  const { code, said } = await git(['rev-parse', '--git-dir']).catch((cause: unknown) => {
    if (!(cause instanceof NotStarted)) throw cause;
    throw new ToolError(`${cause.message}. Go on without it.`, { cause });
  });
  if (code === 0) return git;
  const known = /not a git repository/i.test(said);
  throw new ToolError(
    known
      ? 'The top folder is not the top of a Git repository. Go on without Git.'
      : `Git cannot be used here: ${said}`,
  );
}

/** What a command gave out. @throws {ToolError} with what Git said, where it failed */
export async function read(git: Git, args: readonly string[]): Promise<string> {
  const { code, out, said } = await git(args);
  if (code === 0) return out;
  throw new ToolError(code === null ? `git ${args[0]} took too long.` : `git ${args[0]} failed: ${said}`);
}

/** The commit that is checked out; null before the first. @throws {Error} when Git does not say */
export async function headOf(git: Git): Promise<string | null> {
  const { code, out } = await git(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code === null) throw new Error('Git did not answer in time.');
  return code === 0 ? out.trim() : null;
}
