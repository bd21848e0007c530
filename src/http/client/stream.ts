/**
 * A stream that outlives its connections: it connects again from the last event, so that none is missing or repeated,
 * until the chain has ended.
 */

import { LonghandError } from '../../core/lib/index.js';
import type { StreamedChainEvent } from '../schemas/event.js';
import type { PlainRequest } from './build-request.js';
import { createUnexpectedResponse } from './problem-error.js';
import { type ParsedEvent, readEvents } from './read-events.js';
import { computeDelay, wait } from './retry.js';
import { type Sender, sendOnce } from './send.js';

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  /** Connections in a row that may end without an event. */
  readonly reconnects: number;
  /** Milliseconds without a byte, also before the first one, after which a connection is given up. */
  readonly idleMs: number;
}

/** Values of `event` after which nothing follows. */
const lastEvents: ReadonlySet<string> = new Set(['view-completed']);

/** Events about the connection, not the chain: the gateway stops, or this client read too slowly. */
const connectionEvents: ReadonlySet<string> = new Set(['closing', 'dropped']);

const defaultDelayMs = 500;

export async function* openStream(
  sender: Sender,
  request: PlainRequest,
  { signal, reconnects, idleMs }: StreamOptions,
): AsyncGenerator<ParsedEvent, void> {
  let lastId: string | null = null;
  let delayMs = defaultDelayMs;
  const filter = createRepeatFilter();
  for (let failures = 0; ; failures++) {
    const sent = await sendOnce(sender, continueAfter(request, lastId), { signal, headMs: idleMs });
    let lost: Error | null = sent instanceof Response ? null : sent.error;
    if (sent instanceof Response) {
      // After its last event, a stream is empty.
      if (sent.status === 204) return;
      const events = readEvents(takeBody(sent), {
        idleMs,
        onRetry: (ms) => {
          delayMs = ms;
        },
        onLost: (error) => {
          lost = error;
        },
      });
      for await (const { id, event, data } of events) {
        if (connectionEvents.has(event)) {
          lost = new LonghandError('gateway_unreachable', `The gateway ended the stream: ${event} ${data}.`);
          break;
        }
        const parsed = parseData(data);
        failures = 0;
        lastId = id ?? lastId;
        const next = filter({ id: lastId, event, data: parsed });
        if (next !== null) yield next;
        if (lastEvents.has(event)) return;
      }
      signal?.throwIfAborted();
    }
    if (failures >= reconnects) throw lost ?? createUnexpectedResponse('its streams end without an event');
    const afterMs = sent instanceof Response ? 0 : (sent.afterMs ?? 0);
    await wait(Math.max(afterMs, computeDelay(failures, delayMs)), signal);
  }
}

function continueAfter(request: PlainRequest, lastId: string | null): PlainRequest {
  return lastId === null ? request : { ...request, headers: { ...request.headers, 'last-event-id': lastId } };
}

function takeBody(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream && response.body !== null) return response.body;
  response.body?.cancel().catch(() => {});
  throw createUnexpectedResponse('not a stream of events');
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw createUnexpectedResponse('an event is invalid JSON', { cause });
  }
}

type TokenEvent = Extract<StreamedChainEvent, { type: 'token' }>;

/**
 * Removes what a stream repeats after it connected again: tokens have no id, so the gateway sends a reply from its start. The filter
 * returns null for a repeated event.
 */
function createRepeatFilter(): (event: ParsedEvent) => ParsedEvent | null {
  let newest = { reply: '', characters: 0 };
  return (event) => {
    if (event.event !== 'token') return event;
    const token = event.data as TokenEvent;
    const reply = `${token.step} ${token.call}`;
    const known = newest.reply === reply ? newest.characters : 0;
    const end = token.offset + token.text.length;
    if (end <= known) return null;
    newest = { reply, characters: end };
    if (token.offset >= known) return event;
    return { ...event, data: { ...token, text: token.text.slice(known - token.offset), offset: known, missing: 0 } };
  };
}
