/** Waits until all that was written has been taken: a pipe takes some 64 KB at a time, and what is left dies with the process. */

import type { Writable } from 'node:stream';

/** Never rejects: whoever has gone away needs nothing more. */
export async function written(...streams: readonly Writable[]): Promise<void> {
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
}
