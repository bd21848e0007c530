/** Estimates for context windows. Bounds count a token for each byte (L6); they would reject requests that fit. */

import { defaults } from './defaults.js';
import { bytesPerToken } from './usage.js';

interface ContextWindow {
  /** Null if unknown. */
  readonly contextTokens: number | null;
  /** Most output tokens of a reply, which is in the window too. */
  readonly maxTokens: number;
}

/** Estimates the tokens of a text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Returns whether a request of so many tokens fits the window, with a short reply. An unknown window fits everything. */
export function fitsWindow({ contextTokens, maxTokens }: ContextWindow, tokens: number): boolean {
  return contextTokens === null || tokens + Math.min(defaults.minTokens, maxTokens) <= contextTokens;
}
