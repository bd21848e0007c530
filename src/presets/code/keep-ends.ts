/**
 * The output of a command, however long it gets: its beginning and its end are kept, and what is between them is counted.
 * The beginning says what ran, and the end is where compilers and tests have their errors.
 */

import { fullMark } from '../../core/lib/clip.js';

export interface Ends {
  readonly add: (chunk: Buffer) => void;
  readonly text: () => string;
}

/** @param most bytes to keep in all, about half of them of each end */
export function keepEnds(most: number): Ends {
  const half = Math.floor(most / 2);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  const held = { head: 0, tail: 0, all: 0 };

  const add = (chunk: Buffer) => {
    held.all += chunk.length;
    const first = chunk.subarray(0, half - held.head);
    if (first.length > 0) head.push(first);
    held.head += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    tail.push(rest);
    held.tail += rest.length;
    // Whole chunks: the last one that is needed may begin before the half.
    while (held.tail - (tail[0]?.length ?? 0) >= half) held.tail -= tail.shift()?.length ?? 0;
  };

  const text = () => {
    const end = Buffer.concat(tail);
    if (held.all <= 2 * half) return Buffer.concat([...head, end]).toString('utf8');
    // At the ends of lines, where there are some: neither a word nor a character is cut.
    const before = upToLine(Buffer.concat(head));
    const after = fromLine(end.subarray(Math.max(0, end.length - half)));
    const missing = held.all - before.length - after.length;
    return `${before.toString('utf8')}${fullMark(missing, held.all, 'bytes')}\n${after.toString('utf8')}`;
  };

  return { add, text };
}

const lineBreak = 0x0a;

function upToLine(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(lineBreak);
  return at === -1 ? bytes : bytes.subarray(0, at + 1);
}

function fromLine(bytes: Buffer): Buffer {
  const at = bytes.indexOf(lineBreak);
  return at === -1 ? bytes : bytes.subarray(at + 1);
}
