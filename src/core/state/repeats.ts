/**
 * Repeated calls, outcomes and thoughts. An earlier read answers an equal call, unless a call with effects or a failed call came
 * between. A chain stalls in two ways, both counted in steps in a row: equal calls, or no outcome that is new.
 */

import { computeFingerprint } from '../lib/digest.js';
import { type Json, toValueText } from '../lib/json.js';
import { toWords } from '../lib/plain-text.js';
import type { Reading } from '../model/reading.js';
import type { ChainState, PendingCall, ReusableCall } from '../model/state.js';
import { type Advance, emit } from './advance.js';
import { createNoticeEntry } from './entry.js';

/** Number of reads to remember. Older ones are run again. */
const maxReads = 256;

export function findEarlierRead(state: ChainState, key: string): ReusableCall | null {
  return state.reusableCalls.find((entry) => entry.key === key) ?? null;
}

/** Returns the reads that may be reused after a step. */
export function listReusableCalls(state: ChainState, calls: readonly PendingCall[]): readonly ReusableCall[] {
  const onlyGoodReads = calls.every((call) => call.effects === 'read' && call.progress === 'ok');
  if (!onlyGoodReads) return [];
  const fresh = calls
    .filter((call) => call.reusable)
    .map((call): ReusableCall => ({ key: call.key, call: call.id, bytes: call.bytes }));
  // No duplicates: a remembered read would have answered the call.
  const tooMany = Math.max(0, state.reusableCalls.length + fresh.length - maxReads);
  return state.reusableCalls.slice(tooMany).concat(fresh.slice(-maxReads));
}

/**
 * Remembers a thought, and reports one that only repeats the last one. The thought of an unreadable reply does not count: the
 * model is asked to write that reply again.
 */
export function rememberThought(
  state: ChainState,
  { thought, problem }: Pick<Reading, 'thought' | 'problem'>,
): Advance {
  const words = problem === null ? toWords(thought ?? '') : '';
  if (words === '') return emit(state);
  const lastThought = computeFingerprint(words);
  if (lastThought !== state.lastThought) return emit({ ...state, lastThought });
  return emit(
    state,
    createNoticeEntry(state, 'thought_repeated', 'This thought only repeats the one before it, word for word.'),
  );
}

/** Number of outcomes to remember; a loop with more outcomes ends at the step limit. */
const maxOutcomes = 64;

/** Counts steps in a row with equal calls. Volatile calls may be repeated. */
export function countRepetition(
  state: ChainState,
  keys: readonly string[],
  allVolatile: boolean,
): ChainState['repetition'] {
  if (keys.length === 0 || allVolatile) return { calls: '', steps: 0 };
  const calls = [...keys].sort().join(' ');
  return { calls, steps: calls === state.repetition.calls ? state.repetition.steps + 1 : 1 };
}

/** Records an outcome. An outcome is news if it is not among the recent ones, or from a volatile tool. */
export function noteOutcome(
  novelty: ChainState['novelty'],
  key: string,
  observation: Json,
  isVolatile = false,
): ChainState['novelty'] {
  if (isVolatile) return { ...novelty, hasNews: true };
  // Joined, not a template: engines concatenate templates lazily, and compare such strings slowly.
  const outcome = [key.slice(0, 16), computeFingerprint(toValueText(observation))].join(' ');
  if (novelty.outcomes.includes(outcome)) return novelty;
  return { ...novelty, outcomes: novelty.outcomes.slice(1 - maxOutcomes).concat(outcome), hasNews: true };
}

/** Ends the count of a step when all of its calls have ended. */
export function closeStepNovelty(novelty: ChainState['novelty']): ChainState['novelty'] {
  return { ...novelty, steps: novelty.hasNews ? 0 : novelty.steps + 1, hasNews: false };
}

/** Returns whether enough steps in a row brought no news. */
export function isWithoutProgress(state: ChainState, threshold: number): boolean {
  return state.novelty.steps >= threshold;
}
