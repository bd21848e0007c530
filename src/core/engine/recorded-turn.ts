/** A turn as a history, a chain file or a fork records it, and the turns that a fork carries. */

import { check, type Json, pack, unpack } from '../lib/index.js';
import type { Fact, HistorySize, Origin } from '../model/index.js';

export interface RecordedTurn {
  /** Id of the event that completed the workflow task. */
  readonly eventId: number;
  /** Size of the history when the task began. */
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
}

const factTypes: { readonly [type in Fact['type']]: true } = {
  started: true,
  continued: true,
  prepared: true,
  prepareFailed: true,
  requeued: true,
  modelReplied: true,
  checkEnded: true,
  modelFailed: true,
  toolReturned: true,
  callChecked: true,
  approvalRequired: true,
  questionAsked: true,
  toolFailed: true,
  childEnded: true,
  childReportRead: true,
  answersScored: true,
  timerFired: true,
  cancelRequested: true,
  commandReceived: true,
};

/** Whole milliseconds since 1970, in the range of dates. */
export const checkTimestamp = check.define<number>(
  (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15,
  'must be milliseconds since 1970',
);

const checkFact = check.shape({
  type: check.define((type) => Object.hasOwn(factTypes, String(type)), 'must be a type of fact'),
  at: checkTimestamp,
}) as check.Check<Fact>;

/** The shape of a recorded turn. Digests protect the content of its facts. */
const checkRecordedTurn = check.shape<RecordedTurn>({
  eventId: check.number,
  history: check.shape<Omit<HistorySize, 'deferred'>>({
    events: check.number,
    bytes: check.number,
    continueSuggested: check.boolean,
  }),
  facts: check.list(checkFact),
});
export const isRecordedTurn = checkRecordedTurn.is;

export function packTurns(turns: readonly RecordedTurn[]): string {
  return pack(turns.map(({ eventId, history, facts }) => ({ eventId, history, facts })) as unknown as Json);
}

/** Unpacks turns; null where `packTurns` did not make the text. */
export function unpackTurns(packed: string): readonly RecordedTurn[] | null {
  const turns: unknown = unpack(packed);
  return Array.isArray(turns) && turns.every(isRecordedTurn) ? turns : null;
}

/** Returns the turns that a fork's start or a branch's agent carries. Null for other chains. */
export function findOriginTurns(turns: readonly RecordedTurn[]): readonly RecordedTurn[] | null {
  // Commands may arrive before the agent: it need not be in the second turn.
  for (const { facts } of turns) {
    for (const fact of facts) {
      const origin = fact.type === 'started' ? fact.input?.origin : fact.type === 'prepared' ? fact.origin : undefined;
      if (origin) return unpackTurns(origin.turns);
      if (fact.type === 'prepared') return null;
    }
  }
  return null;
}

/** Returns whether a value has the shape of an origin. Anybody can start a workflow with any input. */
export const isOrigin = check.shape<Origin>({
  ...{ chainId: check.text, runId: check.text, digest: check.text, turns: check.text },
  steps: check.integerFrom(1),
  message: check.nullable(check.optional(check.text)) as check.Check<string | null>,
}).is;
