/**
 * Writes the output of a command to standard output or, atomically, to a file.
 *
 * A chain contains all its secrets, so only the owner can read a new file. A replaced file keeps its permissions. Of a link
 * the target is replaced.
 */

import { randomUUID } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorCode, LonghandError } from '../../core/lib/index.js';
import type { Terminal } from './terminal.js';

/** Writes text. An existing file is replaced when the new one is complete. @throws LonghandError file_not_written */
export function writeOutput(terminal: Terminal, text: string, out: string | undefined): void {
  if (out === undefined) {
    terminal.writeRaw(text);
    return;
  }
  writeOutputFile(terminal, text, out);
}

/** Writes text or bytes to a file, like `writeOutput`. */
export function writeOutputFile(terminal: Terminal, text: string | Uint8Array, out: string): void {
  try {
    const existing = statSync(out, { throwIfNoEntry: false });
    if (existing !== undefined && isSpecial(existing)) writeFileSync(out, text);
    else replaceFile(existing === undefined ? out : realpathSync(out), text, existing);
  } catch (error) {
    const problem = errorTexts[getErrorCode(error)] ?? error;
    throw new LonghandError('file_not_written', `${out} was not written: ${problem}.`, { cause: error });
  }
  terminal.report(`${out}: ${Buffer.byteLength(text)} bytes`);
}

function replaceFile(out: string, text: string | Uint8Array, existing: Stats | undefined): void {
  // A random name and the flag `wx`: the content cannot be redirected to a prepared file or link.
  const part = join(dirname(out), `.longhand-${randomUUID()}.part`);
  try {
    writeFileSync(part, text, { flag: 'wx', mode: 0o600 });
    if (existing?.isFile()) chmodSync(part, existing.mode);
    renameSync(part, out);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** A device or a pipe, which is written to instead of replaced. */
function isSpecial(file: Stats): boolean {
  return !file.isFile() && !file.isDirectory();
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist. Create it first',
  EISDIR: 'it is a folder; name a file in it',
  ENOTEMPTY: 'it is a folder; name a file in it',
  ENOTDIR: 'its folder is a file',
  EACCES: 'permission to write there is missing',
  EPERM: 'permission to write there is missing',
  ENOSPC: 'the disk is full',
};
