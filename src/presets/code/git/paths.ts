/** Paths as Git is given them: below the root, and also those of files that are there no more. */

import { relative, resolve, sep } from 'node:path';
import { find, type Root } from '../../../tools/builtin/files/root.js';

/** From the root, with `/`. @throws {ToolError} for what lies outside of it, or is left out */
export async function findInRepository(root: Root, path: string): Promise<string> {
  const place = await find(root, path);
  if (place !== null) return place.shown;
  // It may have been deleted: `find` has looked that it would be inside.
  const top = (await find(root, '.'))?.real ?? root.path;
  return relative(top, resolve(top, path)).split(sep).join('/');
}
