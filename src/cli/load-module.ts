/** A module of the user's, TypeScript or JavaScript. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { UsageError } from './usage-error.js';

/** @returns what it exports, by name. @throws {UsageError} when there is no such module */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(file)) throw new UsageError(`There is no module ${file}.`);
  return (await tsImport(pathToFileURL(resolve(file)).href, import.meta.url)) as Record<string, unknown>;
}
