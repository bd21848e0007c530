/** Splits a stream into messages: one per line. */

import type { Readable } from 'node:stream';
import { maxMessageCharacters } from './messages.js';

const lineBreak = 0x0a;

/** Destroys the stream at a message that is too long. */
export function readMessages(stream: Readable, receive: (text: string) => void): void {
  let waiting: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(lineBreak, from);
      const end = at === -1 ? chunk.length : at;
      waiting.push(chunk.subarray(from, end));
      bytes += end - from;
      if (bytes > maxMessageCharacters) {
        stream.destroy(new RangeError('A message is too long.'));
        return;
      }
      if (at !== -1) {
        const text = Buffer.concat(waiting).toString('utf8');
        waiting = [];
        bytes = 0;
        receive(text);
      }
      from = end + 1;
    }
  });
}
