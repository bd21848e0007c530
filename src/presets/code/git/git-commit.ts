/**
 * The built-in tool `git_commit`. L5: a second run would create a second commit, so it is unsafe. If it fails and HEAD is
 * unchanged, nothing was committed.
 */

import { z } from 'zod';
import { pathSchema } from '../../../tools/builtin/index.js';
import { defineTool, NotDone, type Tool, ToolError } from '../../../tools/define/index.js';
import type { CommandContext } from '../command-context.js';
import { toNotDone } from '../shell-tools.js';
import { readChanges } from './git-status.js';
import { findHooksInTree, findInRepository, openRepository, type Repository } from './repository.js';
import { readGit, readHead, toLiteralPath } from './run-git.js';

/** Milliseconds for the repository's hooks. */
const timeoutMs = 10 * 60_000;
/** Paths of one Git command: the system limits the length of a command line. */
const maxPathsPerCall = 200;

export function gitCommit(context: CommandContext): Tool {
  return defineTool({
    name: 'git_commit',
    description:
      'Commits the changes to the named files only. Adds new files. Runs the hooks of the repository, except hooks that you could write; a note reports this.',
    inputSchema: z.object({
      message: z
        .string()
        .trim()
        .min(1)
        .max(10_000)
        .refine((message) => !message.includes('\0'), 'a message must not contain zero bytes')
        .describe('What the change does, in one line; then an empty line and the reason'),
      paths: z
        .array(pathSchema)
        .min(1)
        .max(500)
        .describe('The files or folders to commit, relative to the top folder: ["src/auth.js"]'),
    }),
    returns: '{ commit, files, note? }',
    effects: 'unsafe',
    kind: 'git',
    view: {
      request: '{message}',
      response: '{commit}, {files.length} files',
      summary: 'Committed {files.length} files as {commit}',
    },
    timeout: timeoutMs + 60_000,
    execute: async ({ message, paths }, { signal }) => {
      const { git, before, shown, inTree } = await prepareCommit(context, paths, signal).catch((error: unknown) => {
        throw toNotDone(error, 'Nothing was committed');
      });
      const options = ['--quiet', '--only', '-m', message];
      const { code, errorOutput, output } =
        inTree === null
          ? await git(['commit', ...options, '--', ...shown.map(toLiteralPath)], { timeoutMs, starts: 'hooks' })
          : await git(['commit', ...options, '--', ...shown], { timeoutMs });
      const after = await readHead(git);
      if (code !== 0 && after === before) throw new NotDone(`Nothing was committed. ${errorOutput || output}`.trim());
      // HEAD has changed, but the new commit may be from another process.
      if (code !== 0 || after === null) throw new Error(`git commit failed, but HEAD has changed: ${errorOutput}`);
      // The commit exists: later errors must not make the outcome unknown.
      const files = await readGit(git, ['show', '--format=', '--name-only', '-z', after]).catch(() => shown.join('\0'));
      return {
        commit: after.slice(0, 12),
        files: files.split('\0').filter((file) => file !== ''),
        ...(inTree === null ? {} : { note: formatHooksNote(inTree) }),
      };
    },
  });
}

const formatHooksNote = (where: string) =>
  `No hooks were run, because you can write ${where}. To run them, commit with shell_exec.`;

interface CommitPreparation {
  readonly git: Repository['git'];
  readonly before: string | null;
  readonly shown: readonly string[];
  /** A hook, or the folder of hooks, in the tree; null without one. */
  readonly inTree: string | null;
}

/** Prepares a commit. An error here means that nothing was committed. */
async function prepareCommit(
  context: CommandContext,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CommitPreparation> {
  const repository = await openRepository(context, signal);
  const { git } = repository;
  const shown = [];
  for (const path of paths) shown.push(await findInRepository(context.root, path));
  const changed = (await readChanges(git, shown)).map(({ path }) => path);
  await rejectPrograms(repository, changed);
  // Not `git add`, which runs Git in each submodule.
  for (const some of splitPaths(changed))
    await readGit(git, ['update-index', '--add', '--remove', '--replace', '--', ...some]);
  const before = await readHead(git);
  const staged = await git(['diff', '--cached', '--quiet', '--ignore-submodules=none', '--', ...shown]);
  if (staged.code === 0) throw new NotDone(nothingChanged);
  return { git, before, shown, inTree: await findHooksInTree(repository) };
}

const nothingChanged =
  'Nothing was committed: these files are unchanged, missing, or ignored by .gitignore. See git_status.';

/** @throws {ToolError} for a file that needs a disabled filter, and for a program that the model could write */
async function rejectPrograms({ git, filters, programs }: Repository, paths: readonly string[]): Promise<void> {
  if (programs.length > 0) {
    throw new ToolError(`The setting ${programs.join(', ')} runs a file that you can write. Ask a person to commit.`);
  }
  if (filters.length === 0) return;
  for (const some of splitPaths(paths)) {
    const parts = (await readGit(git, ['check-attr', '-z', 'filter', '--', ...some])).split('\0');
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const [path = '', , filter = ''] = parts.slice(at, at + 3);
      if (!filters.includes(filter)) continue;
      throw new ToolError(
        `${path} needs the filter ${filter}, which this agent may not run. Leave the file out, or ask a person to allow it (gitFilters: ['${filter}']).`,
      );
    }
  }
}

function* splitPaths(paths: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < paths.length; at += maxPathsPerCall) yield paths.slice(at, at + maxPathsPerCall);
}
