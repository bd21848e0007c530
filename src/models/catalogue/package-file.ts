/** Finds files shipped with the package, from source or from the build. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Resolves a path relative to the package's package.json. */
export function resolvePackageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, path);
}

export function readPackageVersion(): string {
  return (JSON.parse(readFileSync(resolvePackageFile('package.json'), 'utf8')) as { version: string }).version;
}
