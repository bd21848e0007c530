/**
 * Logs the output of a program line by line.
 *
 * A log masks secrets in the lines that it gets, so a line is never cut: one that is too long is omitted. And a program that
 * prints for ever must not fill the log.
 */

import { toPlainText } from '../../core/lib/index.js';

export interface LineLog {
  readonly add: (chunk: Buffer) => void;
  /** Logs the last line, which may lack its line break. */
  readonly end: () => void;
}

const maxLineBytes = 8 * 1024;
const maxLines = 1_000;
const lineBreak = 0x0a;

/** @param log its errors are dropped: `add` is called for events of a stream, where they would end the worker */
export function createLineLog(log: (line: string) => void): LineLog {
  let unfinished: Buffer[] = [];
  let bytes = 0;
  let lines = 0;

  const write = (line: string) => {
    try {
      log(line);
    } catch {
      // The line is lost.
    }
  };
  const finish = () => {
    const line = toPlainText(Buffer.concat(unfinished).toString('utf8')).trimEnd();
    const isLong = bytes > maxLineBytes;
    unfinished = [];
    bytes = 0;
    if (line === '' && !isLong) return;
    lines += 1;
    if (lines <= maxLines) write(isLong ? `[a line of more than ${maxLineBytes} bytes is left out]` : line);
    if (lines === maxLines) write(`[more than ${maxLines} lines: the others are left out]`);
  };
  const add = (chunk: Buffer) => {
    for (let from = 0; from < chunk.length && lines < maxLines; ) {
      const at = chunk.indexOf(lineBreak, from);
      const end = at === -1 ? chunk.length : at;
      bytes += end - from;
      if (bytes <= maxLineBytes) unfinished.push(chunk.subarray(from, end));
      else unfinished = [];
      if (at !== -1) finish();
      from = end + 1;
    }
  };
  return {
    add,
    end: () => {
      if (bytes > 0 && lines < maxLines) finish();
    },
  };
}
