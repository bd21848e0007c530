/**
 * The built-in tools `git_status` and `git_diff`: the branch, the last commit, the files that differ from it, and their
 * lines.
 */

import { z } from 'zod';
import { pathSchema } from '../../../tools/builtin/files/root.js';
import { defineTool, type Tool } from '../../../tools/define/define-tool.js';
import type { CommandContext } from '../command-context.js';
import { findInRepository, openRepository } from './repository.js';
import { type Git, readGit, readHead } from './run-git.js';

/** Files that are listed; the rest is counted. */
const maxListedFiles = 200;

export function gitStatus(workshop: CommandContext): Tool {
  return defineTool({
    name: 'git_status',
    description:
      'Returns the branch, the last commit, and the files that differ from it. Of a submodule, only whether its commit is another one.',
    inputSchema: z.object({}),
    returns: '{ branch, commit, changes: [{ path, state }], more? }',
    effects: 'read',
    // Files change without any call of the agent's.
    volatile: true,
    execute: async (_input, { signal }) => {
      const { git } = await openRepository(workshop, signal);
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

/** @param paths from the top; none for all files */
export async function readChanges(git: Git, paths: readonly string[] = []): Promise<readonly Change[]> {
  // What has changed inside of a submodule only Git in there could say, by that repository's settings.
  const options = ['--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
  return parseChanges(await readGit(git, ['status', ...options, '--', ...paths]));
}

/** Of `git status --porcelain=v1 -z`: two letters, a space, the path; behind a rename, the path that it had. */
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

/** Git's name for a commit of no files: what is compared with before the first. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export function gitDiff(workshop: CommandContext): Tool {
  return defineTool({
    name: 'git_diff',
    description:
      'Shows what has changed since the last commit, as a diff. Files that Git does not know yet are not in it: git_status names them.',
    inputSchema: z.object({
      path: pathSchema.default('.').describe('Only this file or folder, from the top: "src". "." is all'),
    }),
    returns: 'a diff in the unified format, or a sentence where nothing has changed',
    effects: 'read',
    volatile: true,
    execute: async ({ path }, { signal }) => {
      const { git } = await openRepository(workshop, signal);
      const shown = await findInRepository(workshop.root, path);
      const since = (await readHead(git)) ?? emptyTree;
      // Neither the programs of the repository's settings for showing changes are run, nor Git in a submodule.
      const options = [
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--ignore-submodules=dirty',
        '--submodule=short',
      ];
      const diff = await readGit(git, ['diff', ...options, since, '--', shown]);
      return diff === '' ? 'Nothing has changed since the last commit.' : diff;
    },
  });
}
