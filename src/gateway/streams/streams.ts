/**
 * Streams of chains as server-sent events, for many followers of few chains.
 *
 * 1. The `id` of an event is its place in the history. `Last-Event-ID` continues after it at any gateway, at any time.
 * 2. Followers with the same view share one watch, and its bytes.
 * 3. After the last event of a chain, a client that connects again gets the status 204, at which an EventSource stops.
 */

import {
  type ChainHandle,
  type ChainSource,
  checkRun,
  createLinkedAbort,
  type Longhand,
  resolveViewer,
} from '../../client/index.js';
import type { Viewer, VisibilityConfig } from '../../core/view/index.js';
import { eventFormat } from './event-frames.js';
import { Follower } from './follower.js';
import { encodeFrame, type Format } from './frame.js';
import type { Hub } from './hub.js';
import { Hubs } from './hubs.js';
import { parsePositionId, type RunPosition } from './position-id.js';
import { reasoningFormat } from './reasoning-frames.js';
import { createReconnectResponse, formatClosingFrame } from './reconnect-response.js';
import { createSseResponse, type SseResponseOptions } from './sse-response.js';

/** `events`: as `watch` emits them. `reasoning`: one event for each step, see `toStreamedReasoning`. */
type StreamFormat = 'events' | 'reasoning';

/** What ends a stream, and what is called then. */
type StreamLifetime = Required<Pick<SseResponseOptions, 'signal' | 'onDropped' | 'onClosed'>>;

export interface StreamRequest extends StreamLifetime {
  readonly chain: ChainHandle;
  /** Where its history is. */
  readonly source: ChainSource;
  readonly viewer: Viewer;
  readonly format: StreamFormat;
  readonly tokens: boolean;
  readonly interim: boolean;
  readonly children: boolean;
  /** The header `Last-Event-ID`, or its query parameter; null from the start. */
  readonly lastEventId: string | null;
}

export interface Streams {
  /**
   * Returns a response whose body is the stream; 204, without a body, after the last event of a chain that has ended.
   *
   * @throws {LonghandError} `invalid_cursor` for an id that is not a place of this chain's history
   */
  readonly open: (request: StreamRequest) => Promise<Response>;
  /** Ends all streams, so that their clients continue at another gateway from the last event. */
  readonly close: () => Promise<void>;
}

export interface StreamsOptions extends Pick<SseResponseOptions, 'heartbeatMs' | 'stalledMs' | 'maxBufferedBytes'> {
  readonly longhand: Pick<Longhand, 'archive'>;
  readonly visibility: VisibilityConfig;
  /** Milliseconds until a client connects again. Default 2,000. */
  readonly retryMs?: number;
  /** Milliseconds that a watch without followers stays open. Default 5,000. */
  readonly lingerMs?: number;
  /** Bytes of the newest events of one watch, for followers that come late or are slow. Default 4 MiB. */
  readonly maxLogBytes?: number;
  /** The same for all watches, each of which may have 64 KiB regardless. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds that `close` waits for clients to read the rest. Default 2,000. */
  readonly closeMs?: number;
}

const formats: { readonly [format in StreamFormat]: Format } = { events: eventFormat, reasoning: reasoningFormat };

/** Milliseconds until a stream begins, although its place was not found: it has no event then, or is not read yet. */
const maxLocateMs = 10_000;

export function createStreams({
  longhand,
  visibility,
  retryMs = 2_000,
  lingerMs = 5_000,
  maxLogBytes = 4 * 2 ** 20,
  maxBytes = 256 * 2 ** 20,
  closeMs = 2_000,
  ...sseOptions
}: StreamsOptions): Streams {
  const hubs = new Hubs({ maxBytes, maxLogBytes, lingerMs });
  const open = new Map<Follower, () => void>();
  const opening = encodeFrame(`retry: ${retryMs}\n\n`);
  let isClosing = false;
  let markEmpty = () => {};

  const respond = (hub: Hub, from: RunPosition | null, { signal, onDropped, onClosed }: StreamLifetime): Response => {
    const follower = new Follower(hub, { from, opening, closing: encodeFrame(formatClosingFrame()) });
    const own = createLinkedAbort(signal);
    open.set(follower, own.abort);
    return createSseResponse(follower, {
      maxBufferedBytes: 65_536,
      ...sseOptions,
      signal: own.signal,
      onDropped,
      onClosed: () => {
        own.unlink();
        open.delete(follower);
        if (open.size === 0) markEmpty();
        onClosed();
      },
    });
  };

  return {
    open: async ({ chain, source, lastEventId, format, tokens, interim, children, ...request }) => {
      const from = lastEventId === null ? null : parsePositionId(lastEventId);
      if (isClosing) return createReconnectResponse('closing', request);
      // A view depends on its user by the preferences alone: without the user, all with equal ones share a watch.
      const viewer: Viewer = { ...(await resolveViewer(request.viewer, longhand.archive)), user: null };
      const turns = formats[format].needsTurns;
      const hub = await hubs.enter({
        key: formatKey(chain.chainId, format, viewer, [tokens, interim, children]),
        source,
        chain: {
          runId: source.runId,
          watch: (signal) => chain.watch(viewer, { visibility, tokens, interim, children, turns, signal }),
          replay: (after, signal) =>
            chain.watch(viewer, { visibility, turns, signal, ...(after === null ? {} : { from: after }) }),
        },
        format: formats[format],
      });
      let hasAll: boolean;
      try {
        hasAll = from !== null && (await isAtEnd(hub, source, from));
      } catch (error) {
        hub.leave();
        // The watch may have ended because the gateway closes.
        if (isClosing) return createReconnectResponse('closing', request);
        throw error;
      }
      if (!isClosing && !hasAll) return respond(hub, from, request);
      hub.leave();
      if (isClosing) return createReconnectResponse('closing', request);
      return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
    },
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
      for (const abort of [...open.values()]) abort();
      hubs.stop();
    },
  };
}

/** Equal keys have equal events: a viewer with other preferences gets another hub. */
function formatKey(chainId: string, format: StreamFormat, viewer: Viewer, live: readonly boolean[]): string {
  const { role, tenant, expanded, preferences = null } = viewer;
  return JSON.stringify([chainId, format, live, role, tenant, expanded, preferences]);
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
