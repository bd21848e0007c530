/** A turn as a history, a chain file or a fork records it, and the turns that a fork carries. */

import { isObject, type Json, type JsonObject } from '../lib/json.js';
import { pack, unpack } from '../lib/pack.js';
import type { Fact } from '../model/fact.js';
import type { Origin } from '../model/origin.js';
import type { HistorySize } from '../model/state.js';

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
  subChainPrepared: true,
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

/** Returns whether a value has the shape of a recorded turn. Digests protect the content of its facts. */
export function isRecordedTurn(turn: Json): boolean {
  if (!isObject(turn) || typeof turn.eventId !== 'number') return false;
  const { history, facts } = turn;
  if (!isObject(history) || typeof history.events !== 'number' || typeof history.bytes !== 'number') return false;
  if (typeof history.continueSuggested !== 'boolean') return false;
  return Array.isArray(facts) && facts.every(isFact);
}

function isFact(fact: Json): boolean {
  return isObject(fact) && Object.hasOwn(factTypes, String(fact.type)) && isTimestamp(fact.at);
}

/** Returns whether a value is whole milliseconds since 1970, in the range of dates. */
export function isTimestamp(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}

export function packTurns(turns: readonly RecordedTurn[]): string {
  return pack(turns.map(({ eventId, history, facts }) => ({ eventId, history, facts })) as unknown as Json);
}

/** Unpacks turns; null where `packTurns` did not make the text. */
export function unpackTurns(packed: string): readonly RecordedTurn[] | null {
  const turns = unpack(packed);
  return Array.isArray(turns) && turns.every(isRecordedTurn) ? (turns as unknown as readonly RecordedTurn[]) : null;
}

/** Returns the turns that a fork's start or a branch's agent carries. Null for other chains. */
export function findOriginTurns(turns: readonly RecordedTurn[]): readonly RecordedTurn[] | null {
  // Commands may arrive before the agent: it need not be in the second turn.
  for (const { facts } of turns) {
    for (const fact of facts) {
      const origin = fact.type === 'started' ? fact.input?.origin : fact.type === 'prepared' ? fact.origin : undefined;
      if (origin) return unpackTurns(origin.turns);
      if (fact.type === 'prepared' || fact.type === 'subChainPrepared') return null;
    }
  }
  return null;
}

/** Returns whether a value has the shape of an origin. Anybody can start a workflow with any input. */
export function isOrigin(value: unknown): value is Origin {
  if (!isObject(value)) return false;
  const { chainId, runId, steps, digest, turns, message }: JsonObject = value;
  const texts = [chainId, runId, digest, turns, message ?? ''];
  return texts.every((text) => typeof text === 'string') && Number.isSafeInteger(steps) && Number(steps) >= 1;
}
