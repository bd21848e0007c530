/** Writes a folder of files, whole or not at all. What is in it is its owner's alone. */

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { WriteFile } from '../../store/audit/export.js';
import { UsageError } from '../flags/usage-error.js';

/** @throws UsageError when there is something of that name; Error that names the folder */
export async function writeFolder<T>(folder: string, fill: (write: WriteFile) => Promise<T>): Promise<T> {
  const out = resolve(folder);
  if (existsSync(out)) {
    throw new UsageError(`There is a ${basename(out)} already: an export is written into a folder of its own.`);
  }
  const beside = join(dirname(out), `.longhand-${randomUUID()}.part`);
  try {
    mkdirSync(beside, { mode: 0o700 });
    const filled = await fill((file, text) => appendFileSync(join(beside, file), text, { mode: 0o600 }));
    renameSync(beside, out);
    return filled;
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    throw new Error(`${folder} was not written: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
