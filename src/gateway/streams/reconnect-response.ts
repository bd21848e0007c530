/** An empty stream that makes an EventSource reconnect; an error status would stop it. */

import { formatJsonFrame } from './sse.js';
import { createSseResponse, type DropReason, type SseResponseOptions } from './sse-response.js';

/** `closing`: this gateway stops. Otherwise as for a stream that was dropped. */
export type ReconnectReason = 'closing' | DropReason;

/** Milliseconds within which the clients of a gateway that closes connect again, spread at random. */
const handOverMs = { least: 100, most: 1_000 };

export function formatClosingFrame(): string {
  const { least, most } = handOverMs;
  const retry = Math.round(least + Math.random() * (most - least));
  return formatJsonFrame({ code: 'closing' }, { event: 'closing', retry });
}

/** Milliseconds within which the clients of another stream connect again. */
const retryMs = 2_000;

export function createReconnectResponse(
  reason: ReconnectReason,
  { signal, onClosed }: Pick<SseResponseOptions, 'signal' | 'onClosed'>,
): Response {
  const frame =
    reason === 'closing'
      ? formatClosingFrame()
      : formatJsonFrame({ code: reason }, { event: 'dropped', retry: retryMs });
  return createSseResponse(toIterable(frame), { signal, ...(onClosed === undefined ? {} : { onClosed }) });
}

async function* toIterable(frame: string): AsyncGenerator<string, void> {
  yield frame;
}
