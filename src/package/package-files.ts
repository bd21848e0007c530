/** Finds files shipped with the packages, from source or from the build. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Resolves a path relative to the package.json of `longhand`, or of the package with another module.
 *
 * @param from `import.meta.url` of that module
 */
export function resolvePackageFile(path: string, from: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(from));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, path);
}

/** Whether this code is the build: it runs as JavaScript. */
export const isBuilt = !import.meta.url.endsWith('.ts');

/**
 * Returns the path of a module that is loaded by its path, such as `workflows/index`: in src where this code is source, else in
 * dist. The build keeps a file of this name for each of them (scripts/bundle.mjs).
 *
 * @param from `import.meta.url` of a module of the same package
 */
export function resolveOwnModule(path: string, from: string = import.meta.url): string {
  return resolvePackageFile(isBuilt ? `dist/src/${path}.js` : `src/${path}.ts`, from);
}

export function readPackageVersion(): string {
  return (JSON.parse(readFileSync(resolvePackageFile('package.json'), 'utf8')) as { version: string }).version;
}
