/**
 * Repeated calls, outcomes and thoughts. An earlier read answers an equal call, unless a call with effects or a failed call came
 * between. A chain stalls in two ways, both counted in steps in a row: equal calls, or no outcome that is new. The same result
 * of a similar read (lib/similarity.ts) is not new.
 */

import { computeFingerprint, computeLinesFingerprint } from '../lib/digest.js';
import { type Json, toValueText } from '../lib/json.js';
import { toWords } from '../lib/plain-text.js';
import { computeSimilarity, toComparable } from '../lib/similarity.js';
import type { Reading } from '../model/reading.js';
import type { ChainState, PendingCall, ReadOutcome, ReusableCall } from '../model/state.js';
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

/** Number of reads whose arguments are compared. */
const maxComparedReads = 16;

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

/** A call with its result. */
export interface CallOutcome {
  readonly key: string;
  readonly tool: string;
  readonly input: Json;
  readonly observation: Json;
  /** Whether calls of the tool may have a new result at any time. */
  readonly isVolatile: boolean;
  /** Whether the call changed nothing. Only then a similar call with the same result is a repetition. */
  readonly isRead: boolean;
}

/**
 * Records an outcome. It is news unless it is among the recent ones, or a similar read had the same result.
 *
 * @param similarity from 0 to 1, above which two reads are similar
 */
export function noteOutcome(
  novelty: ChainState['novelty'],
  { key, tool, input, observation, isVolatile, isRead }: CallOutcome,
  similarity: number,
): ChainState['novelty'] {
  if (isVolatile) return { ...novelty, hasNews: true };
  // Joined, not a template: engines concatenate templates lazily, and compare such strings slowly.
  const outcome = [key.slice(0, 16), computeFingerprint(toValueText(observation))].join(' ');
  if (novelty.outcomes.includes(outcome)) return novelty;
  const outcomes = novelty.outcomes.slice(1 - maxOutcomes).concat(outcome);
  if (!isRead) return { ...novelty, outcomes, hasNews: true };
  const read: ReadOutcome = {
    tool,
    arguments: toComparable(input),
    result: fingerprintResult(observation),
  };
  const isRepeated = novelty.reads.some((earlier) => isSameRead(earlier, read, similarity));
  const reads = novelty.reads.slice(1 - maxComparedReads).concat(read);
  return { ...novelty, outcomes, reads, hasNews: novelty.hasNews || !isRepeated };
}

function isSameRead(earlier: ReadOutcome, read: ReadOutcome, similarity: number): boolean {
  return (
    earlier.tool === read.tool &&
    earlier.result === read.result &&
    computeSimilarity(earlier.arguments, read.arguments) >= similarity
  );
}

/** The same lines or items in another order, or in other letters, are the same result. */
function fingerprintResult(observation: Json): string {
  const text = Array.isArray(observation) ? observation.map(toValueText).join('\n') : toValueText(observation);
  return computeLinesFingerprint(text);
}

/** Ends the count of a step when all of its calls have ended. */
export function closeStepNovelty(novelty: ChainState['novelty']): ChainState['novelty'] {
  return { ...novelty, steps: novelty.hasNews ? 0 : novelty.steps + 1, hasNews: false };
}

/** Returns whether enough steps in a row brought no news. */
export function isWithoutProgress(state: ChainState, threshold: number): boolean {
  return state.novelty.steps >= threshold;
}
