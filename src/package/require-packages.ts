/** Packages that only some users need: optional peers. */

import { createRequire } from 'node:module';
import { getErrorCode, LonghandError } from '../core/lib/index.js';

/**
 * Checks that packages are installed, before they are loaded.
 *
 * @param user what needs them, as the subject of a sentence
 * @throws {LonghandError} `package_missing`, with the command that installs them
 */
export function requirePackages(user: string, names: readonly string[]): void {
  const missing = findMissingPackages(user, names);
  if (missing !== null) throw new LonghandError('package_missing', missing);
}

/** Returns a sentence about the packages that are not installed, or null. */
export function findMissingPackages(user: string, names: readonly string[]): string | null {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  const list = missing.length === 1 ? `the package ${missing[0]}` : `the packages ${missing.join(', ')}`;
  return `${user} needs ${list}: npm install ${missing.join(' ')}`;
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return getErrorCode(error) !== 'MODULE_NOT_FOUND';
  }
}
