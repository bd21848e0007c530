/** What files of the build import when they are loaded: files of all packages by their path, and modules by their name. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param path of the built file, with its text */
export function listBuiltImports(path: string, code: string): readonly string[] {
  return [...code.matchAll(/^(?:import|export) (?:[^;"']+ from )?["']([^"']+)["'];$/gm)].map(([, from = '']) => {
    if (from.startsWith('.')) return join(dirname(path), from);
    const [, below, internal] = /^(?:longhand|@longhand\/(\w+))\/internal\/(.+)$/.exec(from) ?? [];
    if (internal === undefined) return from;
    return join(root, below === undefined ? '' : `packages/${below}`, `dist/src/${internal}.js`);
  });
}
