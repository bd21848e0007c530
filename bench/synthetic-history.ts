/** Histories of any length, made of one that was recorded: longer than a run may become, to see how a fold grows. */

import { type HistoryEvent, idOf } from '../src/history/event.js';

/** Events of a step. */
const perStep = 12;
/** Steps that are repeated as a whole. */
const perRound = 100;

/**
 * The recorded steps over and over, each round on parts of its own: a part that was looked up is not looked up again.
 * Events are numbered in small fractions: a chain ends itself before its history has 40,000 of them, and that is not
 * what is measured here.
 */
export function syntheticHistory(recorded: readonly HistoryEvent[], steps: number): readonly HistoryEvent[] {
  const begin = recorded.findIndex((event) => callOf(event) === 'model-2');
  const [head, body] = [recorded.slice(0, begin), recorded.slice(begin, begin + perStep * perRound)];
  const first = body[0];
  if (first === undefined) throw new Error('The recorded chain has no second step to repeat.');
  const rounds = Math.ceil(steps / perRound);
  const repeated = Array.from({ length: rounds }, (_, round) =>
    body.map((event) => shifted(event, { round, by: round * body.length, from: idOf(first) - 1 })),
  );
  return [...head, ...repeated.flat()].map(scaled);
}

interface Shift {
  readonly round: number;
  /** What is added to the ids of events, from this one on. */
  readonly by: number;
  readonly from: number;
}

/** The same steps further on: the ids of events, the names of calls, and the parts that are looked up. */
function shifted(event: HistoryEvent, { round, by, from }: Shift): HistoryEvent {
  const move = (key: string, value: unknown): unknown => {
    if (references.has(key)) return Number(value) >= from ? Number(value) + by : value;
    if (key === 'activityId') return renamed(String(value), round * perRound);
    if (value instanceof Uint8Array) return key === 'data' ? otherParts(value, round) : value;
    if (Array.isArray(value)) return value.map((each) => move('', each));
    return isRecord(value) && contents.test(key) ? mapped(value, move) : value;
  };
  return mapped(event as Record<string, unknown>, move) as HistoryEvent;
}

/** Of the same length, because a fact says where in a text it stands what was said. */
function otherParts(data: Uint8Array, round: number): Uint8Array {
  const series = round.toString(36).padStart(2, '0');
  return Buffer.from(
    Buffer.from(data)
      .toString('latin1')
      .replace(/\bP-(?=\d)/g, series),
    'latin1',
  );
}

function scaled(event: HistoryEvent): HistoryEvent {
  const scale = (key: string, value: unknown): unknown => {
    if (references.has(key)) return Number(value) / 1_000;
    return isRecord(value) && key.endsWith('Attributes') ? mapped(value, scale) : value;
  };
  return mapped(event as Record<string, unknown>, scale) as HistoryEvent;
}

function mapped(
  record: Record<string, unknown>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
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

/** Where what a call was given and gave back lies; list items have no name. */
const contents = /^$|Attributes$|^(?:input|result|payloads)$/;

const references: ReadonlySet<string> = new Set([
  'eventId',
  'scheduledEventId',
  'startedEventId',
  'workflowTaskCompletedEventId',
]);
