/** Histories as lists of events, in batches, or changed as a server could have written them. */

import { getEventId, type HistoryEvent } from '../../src/history/event.js';

/** Returns batches of events that the server writes together; a page never ends within a batch. */
export function batchesOf(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const batches: HistoryEvent[][] = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (last?.[0]?.workflowTaskCompletedEventAttributes && isCommand(event)) last.push(event);
    else batches.push([event]);
  }
  return batches;
}

/** Whether an event is written with the completion of a workflow task. */
function isCommand(event: HistoryEvent): boolean {
  if (event.workflowExecutionUpdateAcceptedEventAttributes) return true;
  if (event.workflowExecutionUpdateCompletedEventAttributes) return true;
  return Object.values(event).some((value) => isObject(value) && 'workflowTaskCompletedEventId' in value);
}

const references = [
  'eventId',
  'scheduledEventId',
  'startedEventId',
  'initiatedEventId',
  'workflowTaskCompletedEventId',
  'acceptedEventId',
  'acceptedRequestSequencingEventId',
] as const;

/** Inserts events before the one at `id`, and renumbers later events and the references to them. */
export function insertedBefore(
  events: readonly HistoryEvent[],
  id: number,
  inserted: readonly Omit<HistoryEvent, 'eventId'>[],
): readonly HistoryEvent[] {
  const by = inserted.length;
  const moved = (event: HistoryEvent): HistoryEvent => {
    const members = Object.entries(event).map(([key, value]) => [key, isObject(value) ? move(value) : value]);
    return { ...Object.fromEntries(members), ...move({ eventId: event.eventId }) };
  };
  const move = (record: Record<string, unknown>): Record<string, unknown> => {
    const changes = references
      .filter((name) => name in record && Number(record[name]) >= id)
      .map((name) => [name, Number(record[name]) + by]);
    return { ...record, ...Object.fromEntries(changes) };
  };
  // Readers convert the id of an event to a number, so that a number will do.
  const numbered = inserted.map((event, at) => ({ ...event, eventId: id + at }) as unknown as HistoryEvent);
  const before = events.filter((event) => getEventId(event) < id);
  return [...before, ...numbered, ...events.slice(before.length).map(moved)];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
