/** Estimates for context windows. Bounds count a token for each byte (L6); they would reject requests that fit. */

import type { ModelSnapshot } from './agent.js';
import { defaults } from './defaults.js';
import { bytesPerToken } from './usage.js';

/** Estimates the tokens of a text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Returns whether a request of so many tokens fits the window, with a short reply. An unknown window fits everything. */
export function fitsWindow(
  { contextTokens, maxTokens }: Pick<ModelSnapshot, 'contextTokens' | 'maxTokens'>,
  tokens: number,
): boolean {
  return contextTokens === null || tokens + Math.min(defaults.minTokens, maxTokens) <= contextTokens;
}
