/** Puts a text into a file so that whoever reads it finds the old text or the new one, and never a part. */

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../errors.js';
import { codeOf } from '../files/root.js';
import type { Target } from './target.js';

/** Makes the folders on the way; a file that was there keeps its mode. @throws {ToolError} */
export async function writeWhole({ real, shown, exists }: Target, text: string): Promise<void> {
  const beside = join(dirname(real), `.${basename(real).slice(0, 100)}.${randomUUID()}`);
  try {
    await mkdir(dirname(real), { recursive: true });
    const mode = exists ? (await stat(real)).mode & 0o7777 : null;
    // From the first moment nobody may read it who may not read the file.
    await writeFile(beside, text, { flag: 'wx', ...(mode === null ? {} : { mode }) });
    if (mode !== null) await chmod(beside, mode);
    await rename(beside, real);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => {});
    // Node's own messages hold absolute paths, which are not for the model.
    throw new ToolError(`${shown} cannot be written (${codeOf(cause)}): write to another path.`, { cause });
  }
}
