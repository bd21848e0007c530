/** Histories of any length, made of one that was recorded: longer than a run may become, to see how a fold grows. */

import { type HistoryEvent, idOf } from '../src/history/event.js';

/** Events of a step. */
const perStep = 12;

/**
 * The recorded steps over and over. Events are numbered in small fractions: a chain ends itself before its history has
 * 40,000 of them, and that is not what is measured here.
 */
export function syntheticHistory(recorded: readonly HistoryEvent[], steps: number): readonly HistoryEvent[] {
  const begin = recorded.findIndex((event) => callOf(event) === 'model-2');
  const [head, body] = [recorded.slice(0, begin), recorded.slice(begin, begin + perStep * 100)];
  const events: HistoryEvent[] = [...head];
  for (let round = 0; round * 100 < steps; round += 1) {
    for (const event of body) events.push(shifted(event, round));
  }
  return events.map((event) => scaled(event));

  /** The same 100 steps further on: ids, and the calls that are named by their numbers. */
  function shifted(event: HistoryEvent, round: number): HistoryEvent {
    const by = round * body.length;
    const move = (record: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(record).map(([key, value]) => {
          if (references.has(key) && Number(value) >= idOf(body[0] as HistoryEvent) - 1)
            return [key, Number(value) + by];
          if (key === 'activityId') return [key, renamed(String(value), round * 100)];
          return [key, isRecord(value) && key.endsWith('Attributes') ? move(value) : value];
        }),
      );
    return move(event as Record<string, unknown>) as HistoryEvent;
  }
}

function scaled(event: HistoryEvent): HistoryEvent {
  const scale = (record: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => {
        if (references.has(key)) return [key, Number(value) / 1_000];
        return [key, isRecord(value) && key.endsWith('Attributes') ? scale(value) : value];
      }),
    );
  return scale(event as Record<string, unknown>) as HistoryEvent;
}

function renamed(id: string, by: number): string {
  const model = /^model-(\d+)$/.exec(id);
  if (model) return `model-${Number(model[1]) + by}`;
  const [step = '', place = ''] = id.split('.');
  return `${Number(step) + by}.${place}`;
}

function callOf(event: HistoryEvent): string | undefined {
  return event.activityTaskScheduledEventAttributes?.activityId ?? undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const references: ReadonlySet<string> = new Set([
  'eventId',
  'scheduledEventId',
  'startedEventId',
  'workflowTaskCompletedEventId',
]);
