/** The turns that a fork carries, written small and read again. */

import { isObject, type Json, type JsonObject } from '../lib/json.js';
import { pack, unpack } from '../lib/pack.js';
import type { Origin } from '../model/origin.js';
import { isRecordedTurn, type RecordedTurn } from './recorded-turn.js';

export function packTurns(turns: readonly RecordedTurn[]): string {
  return pack(turns.map(({ eventId, history, facts }) => ({ eventId, history, facts })) as unknown as Json);
}

/** Null for what `packTurns` did not make. */
export function unpackTurns(packed: string): readonly RecordedTurn[] | null {
  const turns = unpack(packed);
  return Array.isArray(turns) && turns.every(isRecordedTurn) ? (turns as unknown as readonly RecordedTurn[]) : null;
}

/** What a fork's start carries of its origin, or a branch's agent. Null for a chain that is neither. */
export function carriedTurns(turns: readonly RecordedTurn[]): readonly RecordedTurn[] | null {
  // People may speak before the agent is known: it need not come in the second turn.
  for (const { facts } of turns) {
    for (const fact of facts) {
      const origin = fact.type === 'started' ? fact.input.origin : fact.type === 'prepared' ? fact.origin : undefined;
      if (origin !== undefined) return unpackTurns(origin.turns);
      if (fact.type === 'prepared' || fact.type === 'begun') return null;
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
