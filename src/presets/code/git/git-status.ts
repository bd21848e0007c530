/** The built-in tools `git_status` (branch, last commit, changed files) and `git_diff` (changed lines). */

import { z } from 'zod';
import { pathSchema } from '../../../tools/builtin/index.js';
import { defineTool, type Tool } from '../../../tools/define/index.js';
import type { CommandContext } from '../command-context.js';
import { findInRepository, openRepository } from './repository.js';
import { type Git, readGit, readHead } from './run-git.js';

/** Files that are listed; the others are counted. */
const maxListedFiles = 200;

export function gitStatus(context: CommandContext): Tool {
  return defineTool({
    name: 'git_status',
    description:
      'Returns the branch, the last commit, and the files that differ from it. For a submodule, reports only whether its commit has changed.',
    inputSchema: z.object({}),
    returns: '{ branch, commit, changes: [{ path, state }], more? }',
    effects: 'read',
    kind: 'git',
    view: {
      response: '{changes.length} changed files of {branch}',
      summary: 'Listed {changes.length} changed files of {branch}',
      block: { as: 'table', rows: 'changes' },
    },
    execute: async (_input, { signal }) => {
      const { git } = await openRepository(context, signal);
      const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const last = (await readHead(git)) === null ? null : (await readGit(git, ['log', '-1', '--format=%h %s'])).trim();
      const changes = await readChanges(git);
      return {
        branch: branch.code === 0 ? branch.output.trim() : null,
        commit: last,
        changes: changes.slice(0, maxListedFiles),
        ...(changes.length > maxListedFiles ? { more: changes.length - maxListedFiles } : {}),
      };
    },
  });
}

interface Change {
  readonly path: string;
  readonly state: string;
}

/** @param paths relative to the root; empty for all files */
export async function readChanges(git: Git, paths: readonly string[] = []): Promise<readonly Change[]> {
  // Changes inside a submodule would require Git to run there, with that repository's settings.
  const options = ['--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
  return parseChanges(await readGit(git, ['status', ...options, '--', ...paths]));
}

/** Parses `git status --porcelain=v1 -z`: two letters, a space, the path; after a rename, the old path. */
function parseChanges(out: string): readonly Change[] {
  const parts = out.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part === '') continue;
    const letters = part.slice(0, 2);
    const path = part.slice(3);
    const renamed = /[RC]/.test(letters);
    if (renamed) at++;
    changes.push({ path, state: renamed ? `renamed from ${parts[at]}` : toChangeState(letters) });
  }
  return changes;
}

function toChangeState(letters: string): string {
  if (letters === '??') return 'new';
  if (/U|AA|DD/.test(letters)) return 'in conflict';
  if (letters.includes('D')) return 'deleted';
  return letters.includes('A') ? 'new' : 'changed';
}

/** Git's empty tree: the base of a diff before the first commit. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export function gitDiff(context: CommandContext): Tool {
  return defineTool({
    name: 'git_diff',
    description:
      'Returns the changes since the last commit as a diff. It does not include untracked files: see git_status.',
    inputSchema: z.object({
      path: pathSchema
        .default('.')
        .describe('Only this file or folder, relative to the top folder: "src"; "." for all'),
    }),
    returns: 'a diff in the unified format, or a sentence if nothing has changed',
    effects: 'read',
    kind: 'git',
    view: { summary: 'Compared files with the last commit', block: { as: 'diff' } },
    execute: async ({ path }, { signal }) => {
      const { git } = await openRepository(context, signal);
      const place = await findInRepository(context.root, path);
      const since = (await readHead(git)) ?? emptyTree;
      // Runs no diff programs from the settings, and no Git in a submodule.
      const options = [
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--ignore-submodules=dirty',
        '--submodule=short',
      ];
      const diff = await readGit(git, ['diff', ...options, since, '--', place]);
      return diff === '' ? 'Nothing has changed since the last commit.' : diff;
    },
  });
}
