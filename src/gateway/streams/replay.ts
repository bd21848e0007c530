/** The recorded frames after a position, from a watch of its own: for a follower whose place the log no longer has. */

import type { Frame } from './frame.js';
import { isRecorded } from './frame.js';
import type { Hub } from './hub.js';
import type { RunPosition } from './position-id.js';

export interface Replay {
  /** Returns null at the end of the chain. */
  readonly next: () => Promise<Frame | null>;
  /** Ends the replay, also while it waits: `next` throws then. */
  readonly stop: () => void;
}

export function createReplay({ chain, format: { create, needsEarlier }, log }: Hub, from: RunPosition | null): Replay {
  const ending = new AbortController();
  const events = chain.replay(needsEarlier ? null : from, ending.signal)[Symbol.asyncIterator]();
  const format = create();
  return {
    next: async () => {
      for (;;) {
        const next = await events.next();
        if (next.done) return null;
        const event = next.value;
        const frame = isRecorded(event) ? format(event) : null;
        const isAfter = !needsEarlier || from === null || log.compare(event, from) > 0;
        if (frame !== null && isAfter) return frame;
      }
    },
    stop: () => {
      ending.abort();
      void events.return?.().catch(() => {});
    },
  };
}
