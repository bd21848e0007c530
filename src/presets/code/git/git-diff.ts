/** The built-in tool `git_diff`: what has changed since the last commit, line by line. */

import { z } from 'zod';
import { readable } from '../../../tools/builtin/files/input.js';
import { defineTool, type Tool } from '../../../tools/define/define-tool.js';
import type { Workshop } from '../workshop.js';
import { findInRepository } from './paths.js';
import { openRepository } from './repository.js';
import { headOf, read } from './run-git.js';

/** Git's name for a commit of no files: what is compared with before the first. */
const nothing = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export function gitDiff(workshop: Workshop): Tool {
  return defineTool({
    name: 'git_diff',
    description:
      'Shows what has changed since the last commit, as a diff. Files that Git does not know yet are not in it: git_status names them.',
    input: z.object({
      path: readable.default('.').describe('Only this file or folder, from the top: "src". "." is all'),
    }),
    returns: 'a diff in the unified format, or a sentence where nothing has changed',
    effects: 'read',
    volatile: true,
    run: async ({ path }, { signal }) => {
      const { git } = await openRepository(workshop, signal);
      const shown = await findInRepository(workshop.root, path);
      const since = (await headOf(git)) ?? nothing;
      // Neither the programs of the repository's settings for showing changes are run, nor Git in a submodule.
      const options = [
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--ignore-submodules=dirty',
        '--submodule=short',
      ];
      const diff = await read(git, ['diff', ...options, since, '--', shown]);
      return diff === '' ? 'Nothing has changed since the last commit.' : diff;
    },
  });
}
