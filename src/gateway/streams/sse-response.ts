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
  // Nothing waits in the stream itself, from which it could not be discarded.
  const body = new ReadableStream(new SseBody(frames, options), { highWaterMark: 0 });
  return new Response(body, { headers: { ...headers, ...sseHeaders } });
}

/** The source of a response's stream: a bounded buffer between the frames and their reader. */
class SseBody {
  private readonly source: AsyncIterator<string | Uint8Array>;
  private readonly encoder = new TextEncoder();
  private readonly heartbeat: NodeJS.Timeout;
  private buffer: Uint8Array[] = [];
  private bufferedBytes = 0;
  /** No more frames are added. */
  private ended = false;
  private released = false;
  /** The client has read the end, has gone, or lost its connection. */
  private finished = false;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private wakeReader = () => {};
  private wakeSource = () => {};
  private stalled: NodeJS.Timeout | undefined;

  constructor(
    frames: AsyncIterable<string | Uint8Array>,
    private readonly options: Omit<SseResponseOptions, 'headers'>,
  ) {
    this.source = frames[Symbol.asyncIterator]();
    this.heartbeat = setInterval(() => {
      if (this.buffer.length === 0) this.add(heartbeatFrame);
    }, options.heartbeatMs ?? 15_000);
    this.heartbeat.unref();
    if (options.signal.aborted) this.leave();
    else options.signal.addEventListener('abort', this.leave, { once: true });
    this.fill().catch((error: unknown) => this.drop('failed', error));
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.buffer.length === 0 && !this.ended) {
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
    }
    const next = this.buffer.shift();
    if (next === undefined) {
      this.finish();
      return controller.close();
    }
    this.bufferedBytes -= next.byteLength;
    controller.enqueue(next);
    // A slow reader is not a stalled one.
    if (this.ended || this.isFull()) {
      this.stalled?.refresh();
      return;
    }
    clearTimeout(this.stalled);
    this.wakeSource();
  }

  cancel(): void {
    this.discard();
    this.finish();
  }

  private async fill(): Promise<void> {
    while (!this.ended) {
      const next = await this.source.next();
      if (this.ended) return;
      if (next.done) return this.end();
      this.add(next.value);
      if (this.isFull()) await this.waitForReader();
    }
  }

  private add(frame: string | Uint8Array): void {
    const bytes = typeof frame === 'string' ? this.encoder.encode(frame) : frame;
    this.buffer.push(bytes);
    this.bufferedBytes += bytes.byteLength;
    this.wakeReader();
  }

  private isFull(): boolean {
    return this.bufferedBytes >= (this.options.maxBufferedBytes ?? 262_144);
  }

  private waitForReader(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.wakeSource = resolve;
      this.startTimer(() => this.drop('stalled'));
    });
  }

  private startTimer(onStalled: () => void): void {
    this.stalled = setTimeout(onStalled, this.options.stalledMs ?? 30_000);
    this.stalled.unref();
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.stalled);
    this.options.signal.removeEventListener('abort', this.leave);
    // A source that fails while it ends has no reader left.
    Promise.resolve(this.source.return?.()).catch(() => {});
    this.wakeSource();
    this.wakeReader();
    // The connection of a client that does not read the rest is broken off.
    this.startTimer(() => this.breakOff());
  }

  private breakOff(): void {
    if (this.finished) return;
    this.discard();
    this.finish();
    this.controller?.error(new Error('The client of a stream did not read it.'));
  }

  private drop(code: DropReason, error?: unknown): void {
    if (this.ended) return;
    if (code === 'stalled') this.discard();
    this.end();
    if (this.options.dropFrame !== 'none') this.add(formatJsonFrame({ code }, { event: 'dropped' }));
    this.options.onDropped?.(code, error);
  }

  private discard(): void {
    this.buffer = [];
    this.bufferedBytes = 0;
    this.end();
  }

  /** The connection stays until the client reads the end, but not for longer than any other that is not read. */
  private readonly leave = (): void => {
    this.discard();
    this.release();
  };

  private finish(): void {
    this.finished = true;
    clearTimeout(this.stalled);
    this.release();
  }

  private release(): void {
    if (this.released) return;
    this.released = true;
    this.options.onClosed?.();
  }
}
