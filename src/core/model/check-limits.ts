/** Limits that somebody sets, looked at where they are set: a limit that cannot be kept is none. */

import { type Check, membersOf, wholeFrom } from '../lib/check-value.js';
import type { Limits } from './limits.js';

/** Thirty days; Temporal would take more, but nobody means it. */
const longestMs = 30 * 24 * 60 * 60 * 1_000;

export const limitsCheck: Check = membersOf<Limits>({
  steps: wholeFrom(1),
  tokens: wholeFrom(1),
  costUsd: (value, at) =>
    value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0)
      ? null
      : `${at} must be more than 0 US dollars`,
  timeMs: (value, at) =>
    typeof value === 'number' && value > longestMs
      ? `${at} must be 30 days at most, in milliseconds`
      : wholeFrom(1)(value, at),
  stallThreshold: (value, at) =>
    value === 1 ? `${at} must be at least 2: one step repeats nothing` : wholeFrom(2)(value, at),
  depth: wholeFrom(0),
  chains: wholeFrom(0),
});

/** What is wrong with the first that is, in one sentence, or null. */
export function problemWithLimits(limits: unknown): string | null {
  const wrong = limitsCheck(limits, 'limits');
  return wrong === null ? null : `${wrong}.`;
}
