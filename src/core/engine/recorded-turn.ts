/**
 * One workflow task of a chain as a history, a chain file or a fork holds it: its form, and the turns that a fork carries.
 */

import { isObject, type Json, type JsonObject } from '../lib/json.js';
import { pack, unpack } from '../lib/pack.js';
import type { Fact } from '../model/fact.js';
import type { Origin } from '../model/origin.js';
import type { HistorySize } from '../model/state.js';

export interface RecordedTurn {
  /** The event of its completion. */
  readonly eventId: number;
  /** What the history held when the task began. */
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
}

const factTypes: { readonly [type in Fact['type']]: true } = {
  started: true,
  continued: true,
  prepared: true,
  subChainPrepared: true,
  prepareFailed: true,
  modelReplied: true,
  modelFailed: true,
  toolReturned: true,
  toolFailed: true,
  childEnded: true,
  childReportRead: true,
  answersScored: true,
  timerFired: true,
  cancelRequested: true,
  commandReceived: true,
};

/** Whether a value has the form of one. What the facts hold, their digests say. */
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

/** Whether a value is milliseconds since 1970, whole and such as a date can be made of. */
export function isTimestamp(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}

export function packTurns(turns: readonly RecordedTurn[]): string {
  return pack(turns.map(({ eventId, history, facts }) => ({ eventId, history, facts })) as unknown as Json);
}

/** Null for what `packTurns` did not make. */
export function unpackTurns(packed: string): readonly RecordedTurn[] | null {
  const turns = unpack(packed);
  return Array.isArray(turns) && turns.every(isRecordedTurn) ? (turns as unknown as readonly RecordedTurn[]) : null;
}

/** What a fork's start carries of its origin, or a branch's agent. Null for a chain that is neither. */
export function findOriginTurns(turns: readonly RecordedTurn[]): readonly RecordedTurn[] | null {
  // People may speak before the agent is known: it need not come in the second turn.
  for (const { facts } of turns) {
    for (const fact of facts) {
      const origin = fact.type === 'started' ? fact.input.origin : fact.type === 'prepared' ? fact.origin : undefined;
      if (origin !== undefined) return unpackTurns(origin.turns);
      if (fact.type === 'prepared' || fact.type === 'subChainPrepared') return null;
    }
  }
  return null;
}

/** Anyone may have written what a chain is started with. */
export function isOrigin(value: unknown): value is Origin {
  if (!isObject(value)) return false;
  const { chainId, runId, steps, digest, turns, message }: JsonObject = value;
  const texts = [chainId, runId, digest, turns, message ?? ''];
  return texts.every((text) => typeof text === 'string') && Number.isSafeInteger(steps) && Number(steps) >= 1;
}
