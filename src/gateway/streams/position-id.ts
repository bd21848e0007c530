/** A position of a chain's history as the id of an event, which clients return in `Last-Event-ID`. */

import type { EventPosition } from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';

/** A position in a run. The chain is that of the request. */
export type RunPosition = Pick<EventPosition, 'runId' | 'eventId' | 'item'>;

/** Returns `runId.eventId.item`. */
export function formatPositionId({ runId, eventId, item }: RunPosition): string {
  return `${runId}.${eventId}.${item}`;
}

const numberPattern = '(0|[1-9][0-9]{0,14})';
const uuidPattern = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const idPattern = new RegExp(`^${uuidPattern}\\.${numberPattern}\\.${numberPattern}$`);

/**
 * Accepts what `formatPositionId` returns and nothing else.
 *
 * @throws {LonghandError} `invalid_cursor`
 */
export function parsePositionId(id: string): RunPosition {
  const [, runId, eventId, item] = idPattern.exec(id) ?? [];
  if (runId === undefined) {
    // The id stays out of the message: it may be hostile.
    throw new LonghandError(
      'invalid_cursor',
      'The last event id is malformed: pass the id of an event of this stream.',
    );
  }
  return { runId, eventId: Number(eventId), item: Number(item) };
}
