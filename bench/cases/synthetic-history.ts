/** Makes histories longer than a run may become out of a recorded one, to see how a fold grows. */

import { getEventId, type HistoryEvent } from '../../src/history/event.js';

/** Events of a step. */
const perStep = 12;

export interface Repetition {
  /** Of the history that is made. */
  readonly steps: number;
  /** Recorded steps that are repeated as a whole. */
  readonly stepsInRound: number;
}

/**
 * Repeats the recorded steps, each round with parts of its own: a part that was looked up is not looked up again.
 *
 * Events are numbered in small fractions: a chain ends itself before its history has 40,000 of them, and that is not
 * what is measured here.
 *
 * @param recorded the first run of a chain
 */
export function syntheticHistory(
  recorded: readonly HistoryEvent[],
  { steps, stepsInRound }: Repetition,
): readonly HistoryEvent[] {
  // The second step is the first that begins like all others: the agent has been prepared.
  const begin = recorded.findIndex((event) => callOf(event) === 'model-2');
  const body = begin < 0 ? [] : recorded.slice(begin, begin + perStep * stepsInRound);
  const [first] = body;
  if (first === undefined || body.length < perStep * stepsInRound) {
    throw new Error(
      `The recorded run has ${recorded.length} events; expected ${stepsInRound} steps of ${perStep} events behind its first.`,
    );
  }
  const rounds = Array.from({ length: Math.ceil(steps / stepsInRound) }, (_, round) =>
    body.map((event) =>
      shifted(event, { round, steps: round * stepsInRound, events: round * body.length, from: getEventId(first) - 1 }),
    ),
  );
  return [...recorded.slice(0, begin), ...rounds.flat()].map(scaled);
}

interface Shift {
  readonly round: number;
  /** Added to the numbers in the names of calls. */
  readonly steps: number;
  /** Added to the ids of events, from this one on. */
  readonly events: number;
  readonly from: number;
}

/** The same steps further on: the ids of events, the names of calls, and the parts that are looked up. */
function shifted(event: HistoryEvent, { round, steps, events, from }: Shift): HistoryEvent {
  const move = (key: string, value: unknown): unknown => {
    if (references.has(key)) return Number(value) >= from ? Number(value) + events : value;
    if (key === 'activityId') return renamed(String(value), steps);
    if (value instanceof Uint8Array) return key === 'data' ? otherParts(value, round) : value;
    if (Array.isArray(value)) return value.map((each) => move('', each));
    return isRecord(value) && contents.test(key) ? mapped(value, move) : value;
  };
  return mapped(event as Record<string, unknown>, move) as HistoryEvent;
}

/** The names of parts keep their length, because a fact refers to places in the text of the reply. */
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

/** Members that lead to the input and the result of a call; list items have no name. */
const contents = /^$|Attributes$|^(?:input|result|payloads)$/;

const references: ReadonlySet<string> = new Set([
  'eventId',
  'scheduledEventId',
  'startedEventId',
  'workflowTaskCompletedEventId',
]);
