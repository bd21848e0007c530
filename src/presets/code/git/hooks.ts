/** Finds hooks that lie in the tree: the model could have written them, so they are not run. */

import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isInTree } from './in-tree.js';
import type { Repository } from './repository.js';
import { read } from './run-git.js';

/** Returns a hook, or the folder of all hooks, from the root; null where none lies in the tree. */
export async function hooksInTree({ git, top }: Repository): Promise<string | null> {
  const folder = resolve(top, (await read(git, ['rev-parse', '--git-path', 'hooks'], { starts: 'hooks' })).trim());
  if (await isInTree(top, folder)) return relative(top, folder) || '.';
  // A folder that does not exist has no hooks.
  for (const name of await readdir(folder).catch(() => [])) {
    const hook = join(folder, name);
    if (await isInTree(top, hook)) return relative(top, hook);
  }
  return null;
}
