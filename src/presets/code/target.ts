/**
 * Where a file may be written: below the root, whatever links the way there has (see `files/root.ts`), and nowhere that is
 * left out. Paths come from a model, so they are never trusted.
 */

import { lstat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { find, type Place, type Root } from '../../tools/builtin/files/root.js';
import { ToolError } from '../../tools/define/errors.js';

export interface Target {
  /** Where it really is, or would be. */
  readonly real: string;
  /** From the root, with `/`. */
  readonly shown: string;
  readonly exists: boolean;
}

/** @throws {ToolError} for what lies outside of the root, is left out, or is no place for a file */
export async function targetOf(root: Root, path: string): Promise<Target> {
  const there = await find(root, path);
  if (there?.kind === 'file') return { ...there, exists: true };
  if (there !== null)
    throw new ToolError(`${there.shown} is a directory: name a file in it, like ${there.shown}/new.ts.`);
  const top = await find(root, '.');
  const asked = resolve(top?.real ?? root.path, path);
  const above = await nearestAbove(root, asked);
  if (above.place.kind === 'file') throw new ToolError(`${above.place.shown} is a file, so nothing can lie in it.`);
  const missing = relative(above.asked, asked).split(sep);
  await refuseDangling(join(above.place.real, missing[0] ?? ''), path);
  const shown = relative(top?.real ?? root.path, asked)
    .split(sep)
    .join('/');
  return { real: join(above.place.real, ...missing), shown, exists: false };
}

async function nearestAbove(root: Root, path: string): Promise<{ readonly place: Place; readonly asked: string }> {
  for (let asked = dirname(path); ; asked = dirname(asked)) {
    const place = await find(root, asked);
    if (place !== null) return { place, asked };
  }
}

/** What is written through a link that leads nowhere is made where it points to: outside, for all that is known. */
async function refuseDangling(real: string, path: string): Promise<void> {
  const there = await lstat(real).catch(() => null);
  if (there !== null) throw new ToolError(`${path} is a link that leads nowhere: write to another path.`);
}
