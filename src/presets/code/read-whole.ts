/** Reads a text file whole, to change it: exactly as it is, or not at all. */

import { openFile } from '../../tools/builtin/files/open.js';
import { codeOf } from '../../tools/builtin/files/root.js';
import { ToolError } from '../../tools/define/errors.js';

const longestBytes = 5_000_000;

/** @throws {ToolError} for what is no text, or too long to hold */
export async function readWhole(real: string, shown: string): Promise<string> {
  const bytes = await bytesOf(real, shown);
  if (bytes.includes(0)) throw new ToolError(`${shown} is a binary file, which has no text to change.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Written back, what could not be read would be lost.
    throw new ToolError(`${shown} is not written in UTF-8, so it cannot be changed here.`, { cause });
  }
}

async function bytesOf(real: string, shown: string): Promise<Buffer> {
  try {
    const file = await openFile(real);
    try {
      if ((await file.stat()).size <= longestBytes) return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new ToolError(`${shown} cannot be read (${codeOf(cause)}): choose another file.`, { cause });
  }
  throw new ToolError(`${shown} has more than ${longestBytes} bytes, too many to change it here.`);
}
