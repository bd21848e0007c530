/**
 * Reads a text file line by line in constant memory: a model may request any file below the root, even a log of
 * gigabytes with lines of any length.
 */

import { StringDecoder } from 'node:string_decoder';
import { openFile } from './open-file.js';

export interface FileSize {
  readonly lines: number;
  readonly bytes: number;
}

/** Characters of a line that are read; the rest is skipped. */
const maxLineCharacters = 1_000_000;

const chunkBytes = 64 * 1024;

/** Returns whether to continue reading. */
export type LineVisitor = (line: string, number: number) => boolean;

/**
 * Passes every line to `see`, numbered from 1, without its line end; the empty line after the last line end is no line.
 * Returns null, without a call of `see`, for a binary file: a zero byte near its beginning, as Git decides.
 *
 * If `see` stops the reading, the size covers only the part read.
 */
export async function readLines(path: string, signal: AbortSignal, see: LineVisitor): Promise<FileSize | null> {
  const file = await openFile(path);
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    let lines = 0;
    let unfinished = '';
    let inLine = false;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, null);
      const read = chunk.subarray(0, bytesRead);
      if (bytes === 0 && read.includes(0)) return null;
      bytes += bytesRead;
      const text = bytesRead === 0 ? decoder.end() : decoder.write(read);
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        const line = (unfinished + text.slice(from, end)).slice(0, maxLineCharacters);
        unfinished = '';
        inLine = false;
        from = end + 1;
        lines += 1;
        if (!see(line.endsWith('\r') ? line.slice(0, -1) : line, lines)) return { lines, bytes };
      }
      if (from < text.length) {
        inLine = true;
        if (unfinished.length < maxLineCharacters) unfinished += text.slice(from);
      }
      if (bytesRead > 0) continue;
      if (inLine) {
        lines += 1;
        see(unfinished.slice(0, maxLineCharacters), lines);
      }
      return { lines, bytes };
    }
  } finally {
    await file.close();
  }
}
