/**
 * Repeated calls, outcomes and thoughts. A chain stalls in two ways, both counted in
 * steps in a row: equal calls, or no outcome that is new. The same result of a similar call without effect (lib/similarity.ts)
 * is not new. After a step that waited, both counts begin again, because anything may have changed: polling is not a stall.
 */

import {
  compareArguments,
  computeFingerprint,
  computeFingerprints,
  type Json,
  type TextFingerprints,
  toComparedText,
  toValueText,
  toWords,
} from '../../lib/index.js';
import {
  type ChainState,
  changeState,
  emptyState,
  isWithoutEffect,
  type PendingCall,
  type Reading,
  type ReadOutcome,
  type ToolSnapshot,
} from '../../model/index.js';
import { type Advance, emit, unchanged } from './advance.js';
import { createNoticeEntry } from './entry.js';

/**
 * Remembers a thought, and reports one that only repeats the last one. The thought of an unreadable reply does not count: the
 * model is asked to write that reply again.
 */
export function rememberThought(
  state: ChainState,
  { thought, problem }: Pick<Reading, 'thought' | 'problem'>,
): Advance {
  const words = problem === null ? toWords(thought ?? '') : '';
  if (words === '') return unchanged(state);
  const lastThought = computeFingerprint(words);
  if (lastThought !== state.lastThought) return emit(changeState(state, { lastThought }));
  return emit(
    state,
    createNoticeEntry(state, 'thought_repeated', 'This thought only repeats the one before it, word for word.'),
  );
}

/** Milliseconds from which on calls without effect make their step a long one. */
const longStepMs = 10_000;

/** Number of reads whose arguments are compared. */
const maxComparedReads = 16;

/** Number of outcomes to remember; a loop with more outcomes ends at the step limit. */
const maxOutcomes = 64;

const noRepetition: ChainState['repetition'] = { calls: '', steps: 0 };

/** Counts steps in a row with equal calls. */
export function countRepetition(state: ChainState, keys: readonly string[]): ChainState['repetition'] {
  if (keys.length === 0) return noRepetition;
  const calls = [...keys].sort().join(' ');
  return { calls, steps: calls === state.repetition.calls ? state.repetition.steps + 1 : 1 };
}

/** A call with its result. */
export interface CallOutcome {
  readonly key: string;
  readonly tool: string;
  readonly input: Json;
  readonly observation: Json;
  /** Whether the call may have changed something. If not, a similar call with the same result is a repetition. */
  readonly hasEffect: boolean;
}

/**
 * Records an outcome. It is news unless it is among the recent ones, or a similar read had the same result.
 *
 * @param similarity from 0 to 1, above which two reads are similar
 */
export function recordOutcome(
  stall: ChainState['stall'],
  { key, tool, input, observation, hasEffect }: CallOutcome,
  similarity: number,
): ChainState['stall'] {
  const result = fingerprintResult(observation);
  // Joined, not a template: engines concatenate templates lazily, and compare such strings slowly.
  const outcome = [key.slice(0, 16), result.whole].join(' ');
  if (stall.outcomes.includes(outcome)) return stall;
  const outcomes = stall.outcomes.slice(1 - maxOutcomes).concat(outcome);
  if (hasEffect) return { ...stall, outcomes, hasProgress: true };
  const read: ReadOutcome = { tool, arguments: toComparedText(input), result: result.lines };
  const isRepeated = stall.reads.some((earlier) => isSameRead(earlier, read, similarity));
  const reads = stall.reads.slice(1 - maxComparedReads).concat(read);
  return { ...stall, outcomes, reads, hasProgress: stall.hasProgress || !isRepeated };
}

/** Arguments last: to compare them takes longest. */
function isSameRead(earlier: ReadOutcome, read: ReadOutcome, similarity: number): boolean {
  return (
    earlier.tool === read.tool &&
    earlier.result === read.result &&
    compareArguments(earlier.arguments, read.arguments) >= similarity
  );
}

/** The same items in another order are the same lines. */
function fingerprintResult(observation: Json): TextFingerprints {
  if (!Array.isArray(observation)) return computeFingerprints(toValueText(observation));
  const { lines } = computeFingerprints(observation.map(toValueText).join('\n'));
  return { whole: computeFingerprint(toValueText(observation)), lines };
}

/** Ends the counts of a step when all of its calls have ended. A wait makes all earlier results old. */
export function endStepCounts(
  { repetition, stall }: Pick<ChainState, 'repetition' | 'stall'>,
  waited: boolean,
): Pick<ChainState, 'repetition' | 'stall'> {
  if (waited) return { repetition: noRepetition, stall: emptyState.stall };
  return { repetition, stall: { ...stall, steps: stall.hasProgress ? 0 : stall.steps + 1, hasProgress: false } };
}

/**
 * Returns whether a step is a long one: it waited for a time or a person, or its calls without effect took a while together,
 * as a long poll does. Time of the model does not count, nor time of calls with effects: a slow command that is repeated is a loop.
 */
export function isLongStep(calls: readonly PendingCall[], tools: readonly ToolSnapshot[], ms: number): boolean {
  const ended = calls.filter(({ progress }) => progress === 'ok');
  const waiting = tools.filter(({ waits, question }) => waits || question !== null);
  if (ended.some(({ tool }) => waiting.some(({ name }) => name === tool))) return true;
  const hasRead = calls.some(({ effects }) => effects === 'read');
  return (
    ended.length === calls.length &&
    ms >= longStepMs &&
    hasRead &&
    calls.every(({ effects }) => isWithoutEffect(effects))
  );
}

/** Returns whether enough steps in a row brought no news. */
export function isWithoutProgress(state: ChainState, threshold: number): boolean {
  return state.stall.steps >= threshold;
}
