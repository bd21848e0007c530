/**
 * Ends a request that takes too long or streams too much (L7): one signal for the HTTP client, with the reason, which
 * the client's own error lacks; and a limit on the bytes of the reply.
 */

import { maxTimerMs } from '../../timing/index.js';

/** `cancelled`: by the caller's signal. `stalled`: no event for too long. `overtime`: the call's timeout. */
export type WatchdogEnd = 'cancelled' | 'stalled' | 'overtime';

export interface Watchdog {
  readonly signal: AbortSignal;
  /** Null unless the request was ended. */
  readonly getEnd: () => WatchdogEnd | null;
  /** Restarts the stall timer. */
  readonly recordActivity: () => void;
  /** Gives the stream this many milliseconds to close by itself. */
  readonly finish: (graceMs: number) => void;
  /** Clears timers and listeners. */
  readonly stop: () => void;
}

/**
 * @param stallMs milliseconds without an event
 * @param timeoutMs milliseconds of the whole call
 */
export function createWatchdog(caller: AbortSignal, stallMs: number, timeoutMs: number): Watchdog {
  const controller = new AbortController();
  let end: WatchdogEnd | null = null;
  const because = (reason: WatchdogEnd) => () => {
    end ??= reason;
    controller.abort();
  };
  const cancel = because('cancelled');
  const stall = because('stalled');
  let quiet = setTimeout(stall, Math.min(stallMs, maxTimerMs));
  const whole = setTimeout(because('overtime'), Math.min(timeoutMs, maxTimerMs));
  if (caller.aborted) cancel();
  else caller.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    getEnd: () => end,
    recordActivity: () => {
      quiet.refresh();
    },
    finish: (graceMs) => {
      clearTimeout(quiet);
      quiet = setTimeout(stall, graceMs);
    },
    stop: () => {
      clearTimeout(quiet);
      clearTimeout(whole);
      caller.removeEventListener('abort', cancel);
    },
  };
}

interface ByteLimit {
  /** Returns the response with a body that fails over the limit. */
  readonly applyTo: (response: Response) => Response;
  readonly isExceeded: () => boolean;
}

/**
 * Limits the bytes of a reply: an endless stream must not fill the worker's memory (L7).
 *
 * @param onBytes called for each received piece
 */
export function createByteLimit(max: number, onBytes: () => void = () => {}): ByteLimit {
  let received = 0;
  const counted = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        received += chunk.byteLength;
        onBytes();
        if (received > max) controller.error(new Error(`The reply has more than ${max} bytes.`));
        else controller.enqueue(chunk);
      },
    });
  return {
    applyTo: (response) =>
      response.body === null
        ? response
        : new Response(response.body.pipeThrough(counted()), { headers: response.headers }),
    isExceeded: () => received > max,
  };
}
