/**
 * Ends a request that takes too long or answers too much (L7): one signal for the HTTP client, with the reason why it fired,
 * which the client's own error does not tell; and a limit on the bytes of the answer.
 */

/** `cancelled`: the caller's signal. `stalled`: no sign of life. `overtime`: the call's whole time is over. */
export type WatchdogEnd = 'cancelled' | 'stalled' | 'overtime';

export interface Watchdog {
  readonly signal: AbortSignal;
  /** Null while nothing has ended the request. */
  readonly getEnd: () => WatchdogEnd | null;
  /** A sign of life: the wait for the next begins anew. */
  readonly recordActivity: () => void;
  /** Nothing more is expected: the stream gets this many milliseconds to close by itself. */
  readonly finish: (graceMs: number) => void;
  /** Lets go of timers and listeners. */
  readonly stop: () => void;
}

/** Milliseconds that a timer takes at most; one that is told more fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * @param stallMs milliseconds without a sign of life
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
  /** The same answer, whose body fails once it has more bytes. */
  readonly applyTo: (response: Response) => Response;
  readonly isExceeded: () => boolean;
}

/** Ends an answer that has too many bytes: a server that streams for ever must not fill the worker's memory (L7). */
export function createByteLimit(most: number): ByteLimit {
  let received = 0;
  const counted = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        received += chunk.byteLength;
        if (received > most) controller.error(new Error(`The answer has more than ${most} bytes.`));
        else controller.enqueue(chunk);
      },
    });
  return {
    applyTo: (response) =>
      response.body === null
        ? response
        : new Response(response.body.pipeThrough(counted()), { headers: response.headers }),
    isExceeded: () => received > most,
  };
}
