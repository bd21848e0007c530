/** The built-in tool `git_status`: the branch, the last commit, and the files that differ from it. */

import { z } from 'zod';
import { defineTool, type Tool } from '../../../tools/define/define-tool.js';
import type { Workshop } from '../workshop.js';
import { openRepository } from './repository.js';
import { type Git, headOf, read } from './run-git.js';

/** Files that are listed; the rest is counted. */
const most = 200;

export function gitStatus(workshop: Workshop): Tool {
  return defineTool({
    name: 'git_status',
    description:
      'Returns the branch, the last commit, and the files that differ from it. Of a submodule, only whether its commit is another one.',
    input: z.object({}),
    returns: '{ branch, commit, changes: [{ path, state }], more? }',
    effects: 'read',
    // Files change without any call of the agent's.
    volatile: true,
    run: async (_input, { signal }) => {
      const { git } = await openRepository(workshop, signal);
      const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const last = (await headOf(git)) === null ? null : (await read(git, ['log', '-1', '--format=%h %s'])).trim();
      const changes = await changesOf(git);
      return {
        branch: branch.code === 0 ? branch.out.trim() : null,
        commit: last,
        changes: changes.slice(0, most),
        ...(changes.length > most ? { more: changes.length - most } : {}),
      };
    },
  });
}

interface Change {
  readonly path: string;
  readonly state: string;
}

/** @param paths from the top; none for all files */
export async function changesOf(git: Git, paths: readonly string[] = []): Promise<readonly Change[]> {
  // What has changed inside of a submodule only Git in there could say, by that repository's settings.
  const options = ['--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
  return changesIn(await read(git, ['status', ...options, '--', ...paths]));
}

/** Of `git status --porcelain=v1 -z`: two letters, a space, the path; behind a rename, the path that it had. */
function changesIn(out: string): readonly Change[] {
  const parts = out.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part === '') continue;
    const letters = part.slice(0, 2);
    const path = part.slice(3);
    const renamed = /[RC]/.test(letters);
    if (renamed) at++;
    changes.push({ path, state: renamed ? `renamed from ${parts[at]}` : stateOf(letters) });
  }
  return changes;
}

function stateOf(letters: string): string {
  if (letters === '??') return 'new';
  if (/U|AA|DD/.test(letters)) return 'in conflict';
  if (letters.includes('D')) return 'deleted';
  return letters.includes('A') ? 'new' : 'changed';
}
