/** A module of the user's, TypeScript or JavaScript. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { UsageError } from '../flags/usage-error.js';

/** @returns what it exports, by name. @throws {UsageError} when there is no such module, or it does not load */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`There is no module ${file}.`);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name the file in it that exports the agents.`);
  try {
    return (await tsImport(pathToFileURL(resolve(file)).href, import.meta.url)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`The module ${file} does not load: ${said(error)}`);
  }
}

/** In a line: what is wrong in the text of a module is told in several. */
function said(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
}
