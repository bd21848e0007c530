/** Limits that somebody sets, looked at where they are set: a limit that cannot be kept is none. */

import type { SomeLimits } from './limits.js';

/** Thirty days; Temporal would take more, but nobody means it. */
const longestMs = 30 * 24 * 60 * 60 * 1_000;

/** What is wrong with the first that is, or null. */
export function problemWithLimits(limits: SomeLimits): string | null {
  const { steps, tokens, timeMs, stallThreshold, costUsd } = limits;
  for (const [name, value] of Object.entries({ steps, tokens, timeMs, stallThreshold })) {
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
      return `\`limits.${name}\` must be a whole number from 1.`;
    }
  }
  if (stallThreshold === 1) return '`limits.stallThreshold` must be at least 2: one step repeats nothing.';
  if (timeMs !== undefined && timeMs > longestMs) return '`limits.timeMs` must be 30 days at most, in milliseconds.';
  if (costUsd !== undefined && costUsd !== null && !(costUsd > 0 && Number.isFinite(costUsd))) {
    return '`limits.costUsd` must be more than 0 US dollars.';
  }
  return null;
}
