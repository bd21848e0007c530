/**
 * The built-in tool `git_commit`. L5: a second run would make a second commit, so it is unsafe; whether it has happened is
 * asked of the repository, and where the last commit is still the same it has not.
 */

import { z } from 'zod';
import { defineTool, type Tool } from '../../define-tool.js';
import { NotDone } from '../../errors.js';
import { readable } from '../../files/input.js';
import { asNotDone } from '../shell-exec.js';
import type { Workshop } from '../workshop.js';
import { findInRepository } from './paths.js';
import { type Git, headOf, openGit, read } from './run-git.js';

/** Milliseconds that the repository's own hooks may take. */
const timeoutMs = 10 * 60_000;

export function gitCommit(workshop: Workshop): Tool {
  return defineTool({
    name: 'git_commit',
    description: 'Commits the changes to the files that you name, and no others. New files are added.',
    input: z.object({
      message: z
        .string()
        .trim()
        .min(1)
        .max(10_000)
        .describe('What the change does, in one line; why, below an empty one'),
      paths: z
        .array(readable)
        .min(1)
        .max(500)
        .describe('The files or folders to commit, from the top: ["src/auth.js"]'),
    }),
    returns: '{ commit, files }',
    effects: 'unsafe',
    timeout: timeoutMs + 60_000,
    run: async ({ message, paths }, { signal }) => {
      const { git, before, shown } = await prepared(workshop, paths, signal).catch((error: unknown) => {
        throw asNotDone(error, 'Nothing was committed');
      });
      const { code, said, out } = await git(['commit', '--quiet', '--only', '-m', message, '--', ...shown], {
        timeoutMs,
      });
      const after = await headOf(git);
      if (code !== 0 && after === before) throw new NotDone(`Nothing was committed. ${said || out}`.trim());
      // The last commit is another one, and may be somebody else's.
      if (code !== 0 || after === null) throw new Error(`git commit failed, and there is a new commit: ${said}`);
      // It has happened: nothing that fails from here on may leave that in doubt.
      const files = await read(git, ['show', '--format=', '--name-only', '-z', after]).catch(() => shown.join('\0'));
      return { commit: after.slice(0, 12), files: files.split('\0').filter((file) => file !== '') };
    },
  });
}

interface Prepared {
  readonly git: Git;
  readonly before: string | null;
  readonly shown: readonly string[];
}

/** What fails in here has committed nothing. */
async function prepared(workshop: Workshop, paths: readonly string[], signal: AbortSignal): Promise<Prepared> {
  const git = await openGit(workshop, signal);
  const shown = [];
  for (const path of paths) shown.push(await findInRepository(workshop.root, path));
  await read(git, ['add', '--all', '--', ...shown]);
  const before = await headOf(git);
  const staged = await git(['diff', '--cached', '--quiet', '--', ...shown]);
  if (staged.code === 0) throw new NotDone('Nothing was committed: these files have not changed. See git_status.');
  return { git, before, shown };
}
