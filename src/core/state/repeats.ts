/**
 * Calls and outcomes that a chain has seen before. An earlier read answers a new one, as long as no call with an effect and
 * no failed call came between. A chain stalls in one of two ways, both counted in steps in a row: it asks for the same calls
 * again and again, or its steps bring nothing that it has not seen.
 */

import { fingerprint } from '../lib/digest.js';
import { asText, type Json } from '../lib/json.js';
import type { PendingCall, Reusable, State } from '../model/state.js';

/** How many earlier reads are rememberedReads. Old ones are simply made again. */
const rememberedReads = 256;

export function earlierRead(state: State, key: string): Reusable | null {
  return state.reusable.find((entry) => entry.key === key) ?? null;
}

/** What may be reused after a step's calls have all ended. */
export function reusableAfter(state: State, calls: readonly PendingCall[]): readonly Reusable[] {
  const onlyGoodReads = calls.every((call) => call.effects === 'read' && call.progress === 'ok');
  if (!onlyGoodReads) return [];
  const fresh = calls
    .filter((call) => call.reusable)
    .map((call): Reusable => ({ key: call.key, call: call.id, bytes: call.bytes }));
  // None of them stands there already: it would have been answered from there.
  const tooMany = Math.max(0, state.reusable.length + fresh.length - rememberedReads);
  return state.reusable.slice(tooMany).concat(fresh.slice(-rememberedReads));
}

/** How many outcomes are remembered; going round in a larger circle than this is for the step limit. */
const remembered = 64;

/** Counts a reply's calls against those of the reply before. Volatile calls may be asked as often as one likes. */
export function countRepeated(state: State, keys: readonly string[], allVolatile: boolean): State['repeated'] {
  if (keys.length === 0 || allVolatile) return { calls: '', steps: 0 };
  const calls = [...keys].sort().join(' ');
  return { calls, steps: calls === state.repeated.calls ? state.repeated.steps + 1 : 1 };
}

/** Notes what came of a call: news is what was not among the recent outcomes, and all that a volatile tool says. */
export function noteOutcome(idle: State['idle'], key: string, observation: Json, isVolatile = false): State['idle'] {
  if (isVolatile) return { ...idle, news: true };
  // Joined, and not a template: an engine that puts texts together only when they are read compares such slowly.
  const outcome = [key.slice(0, 16), fingerprint(asText(observation))].join(' ');
  if (idle.outcomes.includes(outcome)) return idle;
  return { ...idle, outcomes: idle.outcomes.slice(1 - remembered).concat(outcome), news: true };
}

/** Closes the count of a step whose calls have all ended. */
export function countIdle(idle: State['idle']): State['idle'] {
  return { ...idle, steps: idle.news ? 0 : idle.steps + 1, news: false };
}

/** Whether a row of steps without news has reached the threshold. */
export function isIdle(state: State, threshold: number): boolean {
  return state.idle.steps >= threshold;
}
