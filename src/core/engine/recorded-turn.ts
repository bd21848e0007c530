/** One workflow task of a chain, as it stands in its history, in a file, or in a chain that was forked off it. */

import { isObject, type Json } from '../lib/json.js';
import type { Fact } from '../model/fact.js';
import type { History } from '../model/state.js';

export interface RecordedTurn {
  /** The event of its completion. */
  readonly eventId: number;
  /** What the history held when the task began. */
  readonly history: History;
  readonly facts: readonly Fact[];
}

const factTypes: { readonly [type in Fact['type']]: true } = {
  started: true,
  continued: true,
  prepared: true,
  begun: true,
  prepareFailed: true,
  modelReplied: true,
  modelFailed: true,
  toolReturned: true,
  toolFailed: true,
  childEnded: true,
  childRead: true,
  scored: true,
  timerFired: true,
  cancelRequested: true,
  directed: true,
};

/** Whether a value has the form of one. What the facts hold, their digests say. */
export function isRecordedTurn(turn: Json): boolean {
  if (!isObject(turn) || typeof turn.eventId !== 'number') return false;
  const { history, facts } = turn;
  if (!isObject(history) || typeof history.events !== 'number' || typeof history.bytes !== 'number') return false;
  if (typeof history.suggested !== 'boolean') return false;
  return Array.isArray(facts) && facts.every(isFact);
}

function isFact(fact: Json): boolean {
  return isObject(fact) && Object.hasOwn(factTypes, String(fact.type)) && isTime(fact.at);
}

/** Whether a value is milliseconds since 1970, whole and such as a date can be made of. */
export function isTime(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}
