/**
 * A chain stalls in one of two ways: it asks for the same calls again and again, or its steps bring
 * nothing that it has not seen. Both are counted in steps in a row.
 */

import { fingerprint } from '../lib/digest.js';
import { asText, type Json } from '../lib/json.js';
import type { State } from '../model/state.js';

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
