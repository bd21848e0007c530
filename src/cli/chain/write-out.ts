/** Writes what a command made: to standard output, or whole into a file, or not at all. */

import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Terminal } from '../terminal.js';
import { codeOf } from './read-text.js';

/** A file of that name is replaced once the new one is complete. @throws Error that names the file */
export function writeOut(terminal: Terminal, text: string, out: string | undefined): void {
  if (out === undefined) {
    terminal.write(text);
    return;
  }
  try {
    if (isSpecial(out)) writeFileSync(out, text);
    else replace(out, text);
  } catch (error) {
    throw new Error(`${out} was not written: ${reasons[codeOf(error)] ?? error}.`);
  }
  terminal.say(`${out}: ${Buffer.byteLength(text)} bytes`);
}

function replace(out: string, text: string): void {
  const beside = `${out}.${process.pid}.part`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, out);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** A device or a pipe is written to; nothing takes its place. */
function isSpecial(out: string): boolean {
  const stats = statSync(out, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder; name a file in it',
  ENOTEMPTY: 'it is a folder; name a file in it',
  ENOTDIR: 'what should be its folder is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  ENOSPC: 'the disk is full',
};
