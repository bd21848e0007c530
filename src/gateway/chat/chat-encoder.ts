/** What a protocol makes of the parts of a chat, and how a stream continues where the client stopped reading. */

import type { ChatPart } from './chat-part.js';

/** Encodes the parts of one chain, in their order, in the frames of a protocol. */
export interface ChatEncoder<Frame> {
  /** First frames of every stream. */
  readonly start: () => readonly Frame[];
  readonly encode: (part: ChatPart) => readonly Frame[];
  /** Frames after parts whose frames were omitted: what the client needs to read on. */
  readonly catchUp: () => readonly Frame[];
  /** Last frames of a stream that fails. The text is ours and names nothing internal. */
  readonly fail: (text: string) => readonly Frame[];
}

/**
 * Encodes the parts of a chain.
 *
 * @param clientCalls calls that the client has: frames are omitted until all of them have been read. Null for all frames.
 */
export async function* encodeChat<Frame>(
  parts: AsyncIterable<readonly ChatPart[]>,
  encoder: ChatEncoder<Frame>,
  clientCalls: ReadonlySet<string> | null,
): AsyncGenerator<readonly Frame[], void> {
  const missingCalls = new Set(clientCalls);
  let isSilent = missingCalls.size > 0;
  yield encoder.start();
  for await (const batch of parts) {
    const frames: Frame[] = [];
    for (const part of batch) {
      // A message may name calls that the chain does not have. At the end of the stream, nothing is left to wait for.
      if (isSilent && (part.type === 'suspended' || part.type === 'ended')) {
        isSilent = false;
        frames.push(...encoder.catchUp());
      }
      const partFrames = encoder.encode(part);
      if (!isSilent) {
        frames.push(...partFrames);
        continue;
      }
      if (part.type === 'call') missingCalls.delete(part.call);
      if (missingCalls.size > 0) continue;
      isSilent = false;
      frames.push(...encoder.catchUp());
    }
    if (frames.length > 0) yield frames;
  }
}
