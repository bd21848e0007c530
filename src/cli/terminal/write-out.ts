/**
 * Writes what a command made: to standard output, or whole into a file, or not at all.
 *
 * A chain holds every secret that it was told. So a new file is its owner's alone, and one that is replaced is seen by
 * whom it was seen by before. A link stays, and what it leads to is replaced.
 */

import { randomUUID } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorCode } from './read-text.js';
import type { Terminal } from './terminal.js';

/** A file of that name is replaced once the new one is complete. @throws Error that names the file */
export function writeOutput(terminal: Terminal, text: string, out: string | undefined): void {
  if (out === undefined) {
    terminal.writeRaw(text);
    return;
  }
  writeOutputFile(terminal, text, out);
}

/** The same of what may be no text. */
export function writeOutputFile(terminal: Terminal, text: string | Uint8Array, out: string): void {
  try {
    const there = statSync(out, { throwIfNoEntry: false });
    if (there !== undefined && isSpecial(there)) writeFileSync(out, text);
    else replaceFile(there === undefined ? out : realpathSync(out), text, there);
  } catch (error) {
    throw new Error(`${out} was not written: ${errorTexts[getErrorCode(error)] ?? error}.`);
  }
  terminal.report(`${out}: ${Buffer.byteLength(text)} bytes`);
}

function replaceFile(out: string, text: string | Uint8Array, there: Stats | undefined): void {
  // A name that nobody can know beforehand, and a file that must be new: what is written goes nowhere else.
  const beside = join(dirname(out), `.longhand-${randomUUID()}.part`);
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: 0o600 });
    if (there?.isFile()) chmodSync(beside, there.mode);
    renameSync(beside, out);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** A device or a pipe is written to; nothing takes its place. */
function isSpecial(there: Stats): boolean {
  return !there.isFile() && !there.isDirectory();
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder; name a file in it',
  ENOTEMPTY: 'it is a folder; name a file in it',
  ENOTDIR: 'what should be its folder is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  ENOSPC: 'the disk is full',
};
