/** Streams of chains as server-sent events, for many followers of few chains. */

import type { ChainHandle } from '../../client/handle.js';
import type { Viewer, VisibilityConfig } from '../../core/view/visibility.js';

/** `events`: as `watch` emits them. `reasoning`: one event for each step, see `toReasoningEvent`. */
export type StreamFormat = 'events' | 'reasoning';

export interface StreamRequest {
  readonly chain: ChainHandle;
  readonly viewer: Viewer;
  readonly visibility: VisibilityConfig;
  readonly format: StreamFormat;
  readonly tokens: boolean;
  readonly interim: boolean;
  readonly children: boolean;
  /** The header `Last-Event-ID`, or its query parameter; null from the start. */
  readonly lastEventId: string | null;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface Streams {
  /** Returns a response whose body is the stream. @throws {ChainNotFoundError} */
  readonly open: (request: StreamRequest) => Promise<Response>;
  /** Number of open streams. */
  readonly count: () => number;
  /** Ends all streams, so that their clients continue at another gateway from the last event. */
  readonly close: () => Promise<void>;
}
