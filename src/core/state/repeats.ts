/**
 * Calls and outcomes that a chain has seen before. An earlier read answers a new one, as long as no call with an effect and
 * no failed call came between. A chain stalls in one of two ways, both counted in steps in a row: it asks for the same calls
 * again and again, or its steps bring nothing that it has not seen.
 */

import { computeFingerprint } from '../lib/digest.js';
import { type Json, toValueText } from '../lib/json.js';
import type { ChainState, PendingCall, ReusableCall } from '../model/state.js';

/** How many earlier reads are rememberedReads. Old ones are simply made again. */
const maxReads = 256;

export function findEarlierRead(state: ChainState, key: string): ReusableCall | null {
  return state.reusableCalls.find((entry) => entry.key === key) ?? null;
}

/** What may be reused after a step's calls have all ended. */
export function listReusableCalls(state: ChainState, calls: readonly PendingCall[]): readonly ReusableCall[] {
  const onlyGoodReads = calls.every((call) => call.effects === 'read' && call.progress === 'ok');
  if (!onlyGoodReads) return [];
  const fresh = calls
    .filter((call) => call.reusable)
    .map((call): ReusableCall => ({ key: call.key, call: call.id, bytes: call.bytes }));
  // None of them stands there already: it would have been answered from there.
  const tooMany = Math.max(0, state.reusableCalls.length + fresh.length - maxReads);
  return state.reusableCalls.slice(tooMany).concat(fresh.slice(-maxReads));
}

/** How many outcomes are remembered; going round in a larger circle than this is for the step limit. */
const maxOutcomes = 64;

/** Counts a reply's calls against those of the reply before. Volatile calls may be asked as often as one likes. */
export function countRepetition(
  state: ChainState,
  keys: readonly string[],
  allVolatile: boolean,
): ChainState['repetition'] {
  if (keys.length === 0 || allVolatile) return { calls: '', steps: 0 };
  const calls = [...keys].sort().join(' ');
  return { calls, steps: calls === state.repetition.calls ? state.repetition.steps + 1 : 1 };
}

/** Notes what came of a call: news is what was not among the recent outcomes, and all that a volatile tool says. */
export function noteOutcome(
  idle: ChainState['novelty'],
  key: string,
  observation: Json,
  isVolatile = false,
): ChainState['novelty'] {
  if (isVolatile) return { ...idle, hasNews: true };
  // Joined, and not a template: an engine that puts texts together only when they are read compares such slowly.
  const outcome = [key.slice(0, 16), computeFingerprint(toValueText(observation))].join(' ');
  if (idle.outcomes.includes(outcome)) return idle;
  return { ...idle, outcomes: idle.outcomes.slice(1 - maxOutcomes).concat(outcome), hasNews: true };
}

/** Closes the count of a step whose calls have all ended. */
export function closeStepNovelty(idle: ChainState['novelty']): ChainState['novelty'] {
  return { ...idle, steps: idle.hasNews ? 0 : idle.steps + 1, hasNews: false };
}

/** Whether a row of steps without news has reached the threshold. */
export function isWithoutProgress(state: ChainState, threshold: number): boolean {
  return state.novelty.steps >= threshold;
}
