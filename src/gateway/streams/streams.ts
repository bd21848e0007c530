/**
 * Streams of chains as server-sent events, for many followers of few chains.
 *
 * 1. The `id` of an event is its place in the history. `Last-Event-ID` continues after it at any gateway, at any time.
 * 2. Followers with the same view share one watch, and its bytes.
 * 3. After the last event of a chain, a client that connects again gets the status 204, at which an EventSource stops.
 */

import type { Longhand } from '../../client/connect.js';
import type { ChainHandle } from '../../client/handle.js';
import { checkRun } from '../../client/read/chain-runs.js';
import { type ChainSource, resolveChainSource } from '../../client/read/chain-source.js';
import { resolveViewer } from '../../client/read/resolve-viewer.js';
import type { Viewer, VisibilityConfig } from '../../core/view/visibility.js';
import { eventFormat } from './event-frames.js';
import { Follower } from './follower.js';
import { encodeFrame, type Format } from './frame.js';
import type { Hub } from './hub.js';
import { Hubs } from './hubs.js';
import { parsePositionId, type RunPosition } from './position-id.js';
import { createPostponedStream, formatClosingFrame } from './postponed.js';
import { reasoningFormat } from './reasoning-frames.js';
import { createSseResponse, type SseResponseOptions } from './sse-response.js';

/** `events`: as `watch` emits them. `reasoning`: one event for each step, see `toStreamedReasoning`. */
export type StreamFormat = 'events' | 'reasoning';

export interface StreamRequest {
  readonly chain: ChainHandle;
  /** Where its history is, if the caller has looked it up. */
  readonly source?: ChainSource;
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
  /** Called once when the stream has ended; never for a response without a body. */
  readonly onClosed?: () => void;
}

export interface Streams {
  /**
   * Returns a response whose body is the stream; 204 after the last event of a chain that has ended.
   *
   * @throws {ChainNotFoundError}
   * @throws {LonghandError} `invalid_cursor` for an id that is no place of this chain's history
   */
  readonly open: (request: StreamRequest) => Promise<Response>;
  /** Number of open streams. */
  readonly count: () => number;
  /** Ends all streams, so that their clients continue at another gateway from the last event. */
  readonly close: () => Promise<void>;
}

export interface StreamsOptions
  extends Pick<SseResponseOptions, 'heartbeatMs' | 'stalledMs' | 'maxBufferedBytes' | 'onDropped'> {
  readonly longhand: Pick<Longhand, 'client' | 'archive'>;
  /** Milliseconds until a client connects again. Default 2,000. */
  readonly retryMs?: number;
  /** Milliseconds that a watch without followers stays open. Default 5,000. */
  readonly lingerMs?: number;
  /** Bytes of the newest events of one watch, for followers that come late or are slow. Default 4 MiB. */
  readonly maxLogBytes?: number;
  /** The same for all watches. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds that `close` waits for clients to read the rest. Default 2,000. */
  readonly closeMs?: number;
}

const formats: { readonly [format in StreamFormat]: Format } = { events: eventFormat, reasoning: reasoningFormat };

/** Milliseconds until a stream begins, although its place was not found: it has no event then, or is not read yet. */
const maxLocateMs = 10_000;

export function createStreams(options: StreamsOptions): Streams {
  const { longhand, retryMs = 2_000, closeMs = 2_000 } = options;
  const { lingerMs = 5_000, maxLogBytes = 4 * 2 ** 20, maxBytes = 256 * 2 ** 20 } = options;
  const hubs = new Hubs({ maxBytes, maxLogBytes, lingerMs });
  const toKey = createKeys();
  const open = new Map<Follower, AbortController>();
  const opening = encodeFrame(`retry: ${retryMs}\n\n`);
  let isClosing = false;
  let markEmpty = () => {};

  const respond = (
    hub: Hub,
    from: RunPosition | null,
    { signal, onClosed }: Pick<StreamRequest, 'signal' | 'onClosed'>,
  ): Response => {
    const follower = new Follower(hub, { from, opening, closing: encodeFrame(formatClosingFrame()) });
    const own = new AbortController();
    const forward = () => own.abort();
    signal.addEventListener('abort', forward);
    open.set(follower, own);
    if (signal.aborted) forward();
    return createSseResponse(follower, {
      ...pickSseOptions(options),
      signal: own.signal,
      onClosed: () => {
        signal.removeEventListener('abort', forward);
        open.delete(follower);
        if (open.size === 0) markEmpty();
        onClosed?.();
      },
    });
  };

  return {
    open: async ({ chain, visibility, lastEventId, signal, onClosed, format, ...request }) => {
      const from = lastEventId === null ? null : parsePositionId(lastEventId);
      const life = { signal, ...(onClosed === undefined ? {} : { onClosed }) };
      if (isClosing) return createPostponedStream('closing', life);
      const source = request.source ?? (await resolveChainSource(longhand.client, chain.chainId));
      const viewer = await resolveViewer(request.viewer, longhand.archive);
      const { tokens, interim, children } = request;
      const hub = await hubs.enter({
        key: toKey({ chainId: chain.chainId, format, viewer, visibility, live: [tokens, interim, children] }),
        source,
        chain: {
          runId: source.runId,
          watch: (ending) => chain.watch(viewer, { visibility, tokens, interim, children, signal: ending }),
          replay: (after, ending) =>
            chain.watch(viewer, { visibility, signal: ending, ...(after === null ? {} : { from: after }) }),
        },
        format: formats[format],
      });
      try {
        if (from !== null && (await isAtEnd(hub, source, from))) {
          hub.leave();
          return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
        }
      } catch (error) {
        hub.leave();
        throw error;
      }
      if (!isClosing) return respond(hub, from, life);
      hub.leave();
      return createPostponedStream('closing', life);
    },
    count: () => open.size,
    close: async () => {
      isClosing = true;
      for (const follower of open.keys()) follower.handOver();
      if (open.size > 0) {
        const empty = new Promise<void>((resolve) => {
          markEmpty = resolve;
        });
        const timer = setTimeout(markEmpty, closeMs);
        await empty;
        clearTimeout(timer);
      }
      for (const own of [...open.values()]) own.abort();
      hubs.stop();
    },
  };
}

function pickSseOptions({ heartbeatMs, stalledMs, maxBufferedBytes = 65_536, onDropped }: StreamsOptions) {
  return {
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    ...(stalledMs === undefined ? {} : { stalledMs }),
    ...(onDropped === undefined ? {} : { onDropped }),
    maxBufferedBytes,
  };
}

interface KeyParts extends Pick<StreamRequest, 'format' | 'viewer' | 'visibility'> {
  readonly chainId: string;
  readonly live: readonly boolean[];
}

/** Equal keys have equal events: a viewer with other preferences gets another hub. */
function createKeys(): (parts: KeyParts) => string {
  const numbers = new WeakMap<VisibilityConfig, number>();
  let last = 0;
  return ({ viewer, visibility, ...parts }) => {
    const rules = numbers.get(visibility) ?? ++last;
    numbers.set(visibility, rules);
    const { role, tenant, user, expanded, preferences = null } = viewer;
    return JSON.stringify([parts.chainId, parts.format, parts.live, rules, role, tenant, user, expanded, preferences]);
  };
}

/** Waits until the hub has read up to a position. @throws {LonghandError} `invalid_cursor` */
async function isAtEnd(hub: Hub, source: ChainSource, from: RunPosition): Promise<boolean> {
  if (!hub.log.hasRun(from.runId)) await checkRun(source, from);
  const deadline = Date.now() + maxLocateMs;
  for (;;) {
    const { log, state } = hub;
    if (state.kind === 'failed') throw state.error;
    const place = log.locate(from);
    if (state.kind === 'ended')
      return place.kind === 'ahead' || (place.kind === 'kept' && !log.findAfter(place.sequence));
    if (place.kind !== 'ahead' || Date.now() >= deadline) return false;
    await hub.waitForChange(deadline - Date.now());
  }
}
