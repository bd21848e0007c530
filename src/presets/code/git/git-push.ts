/**
 * The built-in tool `git_push`: pushes the current branch to the branch of the same name, never by force. L5: it is unsafe.
 * After a failed push it reads the remote's commit; the outcome is unknown only if that fails too.
 */

import { z } from 'zod';
import { defineTool, NotDone, type Tool, ToolError } from '../../../tools/define/index.js';
import type { CommandContext } from '../command-context.js';
import { toNotDone } from '../shell-tools.js';
import { findHooksInTree, openRepository, type Repository } from './repository.js';
import { type Git, readGit, readHead } from './run-git.js';
import { isInTree, resolveSettingPath } from './work-tree.js';

const timeoutMs = 5 * 60_000;
/** Credentials for remotes, which other commands do not get. */
const credentialVariables = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
] as const;
/** Pushes only the branch, regardless of the settings. */
const pushOptions = ['--quiet', '--no-follow-tags', '--recurse-submodules=no'];

export function gitPush(context: CommandContext): Tool {
  return defineTool({
    name: 'git_push',
    description:
      'Pushes the commits of the current branch to the branch of the same name on a remote. Never overwrites commits. Runs the hooks of the repository; rejected if you could write one.',
    inputSchema: z.object({
      remote: z.string().min(1).max(200).default('origin').describe('The name of a configured remote'),
    }),
    returns: '{ remote, branch, commit, pushed }: `pushed` is false if the remote already had the commit.',
    effects: 'unsafe',
    kind: 'git',
    view: { response: '{branch} to {remote}, {commit}', summary: 'Pushed {branch} to {remote}' },
    timeout: timeoutMs + 2 * 60_000,
    execute: async ({ remote }, { signal }) => {
      const { git, branch, commit, remoteCommit } = await preparePush(context, remote, signal).catch(
        (error: unknown) => {
          throw toNotDone(error, 'Nothing was pushed');
        },
      );
      const done = { remote, branch, commit: commit.slice(0, 12) };
      if (remoteCommit === commit) return { ...done, pushed: false };
      const ref = `refs/heads/${branch}`;
      const { code, errorOutput } = await git(['push', ...pushOptions, '--', remote, `${ref}:${ref}`], {
        timeoutMs,
        credentialVariables,
        starts: 'hooks',
      });
      if (code === 0) return { ...done, pushed: true };
      const now = await readRemoteCommit(git, remote, branch);
      if (now === undefined)
        throw new Error(`The push failed, and the commit on ${remote} cannot be read: ${errorOutput}`);
      if (now === commit) return { ...done, pushed: true };
      throw new NotDone(`Nothing was pushed. ${errorOutput}`);
    },
  });
}

interface PushPreparation {
  readonly git: Git;
  readonly branch: string;
  readonly commit: string;
  /** The commit of the branch on the remote; null if the branch does not exist there. */
  readonly remoteCommit: string | null;
}

/** Prepares a push. An error here means that nothing was pushed. */
async function preparePush(context: CommandContext, remote: string, signal: AbortSignal): Promise<PushPreparation> {
  const repository = await openRepository(context, signal);
  const { git } = repository;
  // Only by name: a model's URL may lead anywhere, and some URLs run a program.
  const remotes = (await readGit(git, ['remote'])).split('\n').filter((name) => name !== '');
  if (!remotes.includes(remote)) {
    const has = remotes.length === 0 ? 'The repository has no remotes.' : `Expected ${remotes.join(', ')}.`;
    throw new ToolError(`Remote ${remote} not found. ${has}`);
  }
  await rejectPrograms(repository, remote);
  const branch = (await git(['symbolic-ref', '--quiet', '--short', 'HEAD'])).output.trim();
  const commit = await readHead(git);
  if (branch === '' || commit === null) throw new ToolError('No branch with a commit is checked out.');
  const there = await readRemoteCommit(git, remote, branch);
  if (there === undefined) throw new ToolError(`${remote} does not answer, or denies access to this worker.`);
  return { git, branch, commit, remoteCommit: there };
}

/** @throws {ToolError} if a push would run a file of the tree */
async function rejectPrograms(repository: Repository, remote: string): Promise<void> {
  const { git, top, programs } = repository;
  const hooks = await findHooksInTree(repository);
  const settings = programs.map((name) => `the setting ${name}`);
  const causes = [...(hooks === null ? [] : [`the hooks in ${hooks}`]), ...settings];
  if (causes.length > 0)
    throw new ToolError(`A push would run ${causes.join(', ')}, which you can write. Ask a person to push.`);
  // A remote repository in the tree has its own settings and hooks, which a push runs.
  for (const more of [[], ['--push']]) {
    const urls = (await readGit(git, ['remote', 'get-url', '--all', ...more, remote])).split('\n');
    for (const url of urls) {
      const path = findLocalPath(url);
      if (path === null || !(await isInTree(top, resolveSettingPath(top, path)))) continue;
      throw new ToolError(`${remote} is a repository that you can write. Ask a person to push.`);
    }
  }
}

/** Decodes a path like Git does; an invalid encoding is returned unchanged. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the local folder of a URL; null for a URL of another host. */
function findLocalPath(url: string): string | null {
  if (url === '') return null;
  if (url.startsWith('file://')) return decodePath(url.slice('file://'.length));
  return /^[^/]*:/.test(url) ? null : url;
}

/** Returns null if the branch does not exist; undefined if the remote cannot be read. */
async function readRemoteCommit(git: Git, remote: string, branch: string): Promise<string | null | undefined> {
  const { code, output } = await git(['ls-remote', '--', remote, `refs/heads/${branch}`], {
    credentialVariables,
    starts: 'connections',
  });
  if (code !== 0) return undefined;
  return /^[0-9a-f]+/.exec(output)?.[0] ?? null;
}
