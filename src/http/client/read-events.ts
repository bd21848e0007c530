/** The server-sent events of a response. */

import { createParser } from 'eventsource-parser';
import { LonghandError } from '../../core/lib/index.js';

interface SentEvent {
  /** Null if the event has none: the last id stays. */
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** An event whose data is parsed. */
export interface ParsedEvent extends Omit<SentEvent, 'data'> {
  readonly data: unknown;
}

interface ReadEventsOptions {
  /** Milliseconds without a byte after which the connection is given up: the gateway sends comments more often. */
  readonly idleMs: number;
  /** Gets the milliseconds that the server wants before the next connection. */
  readonly onRetry: (ms: number) => void;
  /** Gets why the connection ended, where it did not end with the response. */
  readonly onLost: (error: LonghandError) => void;
}

/** Ends with the connection, and closes it when it is ended before. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { idleMs, onRetry, onLost }: ReadEventsOptions,
): AsyncGenerator<SentEvent, void> {
  let parsed: SentEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => parsed.push({ id: id ?? null, event: event ?? 'message', data }),
    onRetry,
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const chunk = await readInTime(reader, idleMs);
      if (chunk instanceof LonghandError) return onLost(chunk);
      if (chunk === null) return;
      parser.feed(decoder.decode(chunk, { stream: true }));
      const events = parsed;
      parsed = [];
      yield* events;
    }
  } finally {
    // Fails where the connection is already lost.
    reader.cancel().catch(() => {});
  }
}

/** Returns null at the end, and an error where the connection is lost or silent. */
async function readInTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
): Promise<Uint8Array | LonghandError | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<LonghandError>((resolve) => {
    timer = setTimeout(() => resolve(createLost(`silent for ${idleMs / 1000} s`)), idleMs);
  });
  const read = reader.read().then(
    ({ done, value }) => (done ? null : value),
    (cause: unknown) => createLost('lost', cause),
  );
  try {
    return await Promise.race([read, idle]);
  } finally {
    clearTimeout(timer);
  }
}

function createLost(how: string, cause?: unknown): LonghandError {
  return new LonghandError('gateway_unreachable', `The connection of the stream was ${how}.`, { cause });
}
