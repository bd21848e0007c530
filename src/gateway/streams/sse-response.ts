/**
 * A response of server-sent events.
 *
 * Frames wait here only until the client reads them. A client that does not read holds back its source, and is dropped
 * after a time: then its frames are discarded, and the next thing that it reads is why, or the end. One that does not
 * read that either loses its connection.
 */

import { formatJsonFrame, heartbeatFrame } from './sse.js';

/** `stalled`: the client did not read. `failed`: the source of the frames failed. */
export type DropReason = 'stalled' | 'failed';

export interface SseResponseOptions {
  /** Aborted when the client has gone: the stream ends. */
  readonly signal: AbortSignal;
  /** Milliseconds between comments that keep the connection open. Default 15,000. */
  readonly heartbeatMs?: number;
  /** Milliseconds that a full buffer waits for its reader. Default 30,000. */
  readonly stalledMs?: number;
  /** At this size the buffer is full. It exceeds it by one frame at most. Default 262,144. */
  readonly maxBufferedBytes?: number;
  /** Whether a client that is dropped gets the reason, as the event `dropped`. Default `event`. */
  readonly dropFrame?: 'event' | 'none';
  /** Called once at most. `error` is that of the source, for `failed`. */
  readonly onDropped?: (reason: DropReason, error?: unknown) => void;
  /** Called once, when the client has read all, has gone, or the signal is aborted. */
  readonly onClosed?: () => void;
  readonly headers?: Readonly<Record<string, string>>;
}

const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // nginx collects responses otherwise.
  'x-accel-buffering': 'no',
};

/** Returns a response whose body is the frames. At its end or cancellation, `return` of the frames is called. */
export function createSseResponse(
  frames: AsyncIterable<string | Uint8Array>,
  { headers = {}, ...options }: SseResponseOptions,
): Response {
  return new Response(createBody(frames, options), { headers: { ...headers, ...sseHeaders } });
}

function createBody(
  frames: AsyncIterable<string | Uint8Array>,
  {
    signal,
    heartbeatMs = 15_000,
    stalledMs = 30_000,
    maxBufferedBytes = 262_144,
    dropFrame = 'event',
    onDropped,
    onClosed,
  }: Omit<SseResponseOptions, 'headers'>,
): ReadableStream<Uint8Array> {
  const source = frames[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let buffer: Uint8Array[] = [];
  let bufferedBytes = 0;
  /** No more frames are added. */
  let ended = false;
  let released = false;
  /** The client has read the end, has gone, or lost its connection. */
  let finished = false;
  let breakOff = () => {};
  let wakeReader = () => {};
  let wakeSource = () => {};
  let stalled: NodeJS.Timeout | undefined;

  const add = (frame: string | Uint8Array) => {
    const bytes = typeof frame === 'string' ? encoder.encode(frame) : frame;
    buffer.push(bytes);
    bufferedBytes += bytes.byteLength;
    wakeReader();
  };
  const heartbeat = setInterval(() => {
    if (buffer.length === 0) add(heartbeatFrame);
  }, heartbeatMs);
  heartbeat.unref();
  const end = () => {
    if (ended) return;
    ended = true;
    clearInterval(heartbeat);
    clearTimeout(stalled);
    signal.removeEventListener('abort', leave);
    // A source that fails while it ends has nobody left to read it.
    Promise.resolve(source.return?.()).catch(() => {});
    wakeSource();
    wakeReader();
    // The connection of a client that does not read the rest is broken off.
    stalled = setTimeout(() => breakOff(), stalledMs);
    stalled.unref();
  };
  const release = () => {
    if (released) return;
    released = true;
    onClosed?.();
  };
  const finish = () => {
    finished = true;
    clearTimeout(stalled);
    release();
  };
  const discard = () => {
    buffer = [];
    bufferedBytes = 0;
    end();
  };
  /** The connection stays until the client reads the end, but not for longer than any other that is not read. */
  const leave = () => {
    discard();
    release();
  };
  const drop = (code: DropReason, error?: unknown) => {
    if (ended) return;
    if (code === 'stalled') discard();
    end();
    if (dropFrame === 'event') add(formatJsonFrame({ code }, { event: 'dropped' }));
    onDropped?.(code, error);
  };
  const waitForReader = () =>
    new Promise<void>((resolve) => {
      wakeSource = resolve;
      stalled = setTimeout(() => drop('stalled'), stalledMs);
      stalled.unref();
    });
  const fill = async () => {
    while (!ended) {
      const next = await source.next();
      if (ended) return;
      if (next.done) return end();
      add(next.value);
      if (bufferedBytes >= maxBufferedBytes) await waitForReader();
    }
  };

  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  fill().catch((error: unknown) => drop('failed', error));
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        breakOff = () => {
          if (finished) return;
          discard();
          finish();
          controller.error(new Error('The client of a stream did not read it.'));
        };
      },
      pull: async (controller) => {
        while (buffer.length === 0 && !ended) {
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
        const next = buffer.shift();
        if (next === undefined) {
          finish();
          return controller.close();
        }
        bufferedBytes -= next.byteLength;
        controller.enqueue(next);
        // A slow reader is not a stalled one.
        if (ended || bufferedBytes >= maxBufferedBytes) {
          stalled?.refresh();
          return;
        }
        clearTimeout(stalled);
        wakeSource();
      },
      cancel: () => {
        discard();
        finish();
      },
    },
    // Nothing waits in the stream itself, where it could not be discarded.
    { highWaterMark: 0 },
  );
}
