/**
 * All files below a folder, in the order of their paths: the same for the same disk, on every system. Symbolic links
 * are not followed, so it neither leaves the root nor goes in circles; what they point to inside of it is found anyway.
 */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectory } from './open.js';
import { isIgnored, type Place, type Root } from './root.js';

export interface Found {
  readonly real: string;
  /** From the root, with `/`. */
  readonly path: string;
}

/** Without the ones that are ignored, and the folders that the worker may not read. */
export async function* walk(root: Root, from: Place, signal: AbortSignal): AsyncGenerator<Found> {
  // Its end is the next one.
  const waiting: (Found & { readonly directory: boolean })[] = [
    { real: from.real, path: from.shown === '.' ? '' : from.shown, directory: true },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!next.directory) {
      yield { real: next.real, path: next.path };
      continue;
    }
    signal.throwIfAborted();
    for (const entry of (await entriesOf(next.real)).sort(lastFirst)) {
      const directory = entry.isDirectory();
      if (isIgnored(root, entry.name) || (!directory && !entry.isFile())) continue;
      const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
      waiting.push({ real: join(next.real, entry.name), path, directory });
    }
  }
}

/** Whether a path has the extension that was asked for, with or without its dot. */
export function hasExtension(path: string, extension: string | undefined): boolean {
  return extension === undefined || path.endsWith(`.${extension.replace(/^\*?\./, '')}`);
}

// A folder stands where its contents do: `a/b` comes after `a.ts`, as in a sorted list of paths.
const inOrder = (entry: Dirent) => (entry.isDirectory() ? `${entry.name}/` : entry.name);
const lastFirst = (a: Dirent, b: Dirent) => (inOrder(a) < inOrder(b) ? 1 : -1);

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    const opened = await openDirectory(directory);
    try {
      return await readdir(opened.at('.'), { withFileTypes: true });
    } finally {
      await opened.close();
    }
  } catch {
    // Not readable, or gone or moved since it was listed.
    return [];
  }
}
