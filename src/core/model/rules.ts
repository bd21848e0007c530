/**
 * The version of the rules in `advance` and `decide`. A chain runs by the version that it was started with, to its end:
 * from the first release on, a change that a stored history would notice is a new version, beside the old one.
 */

import type { StopReason } from './stop-reason.js';

export const currentRules = 1;

export function isKnownRules(rules: unknown): boolean {
  return rules === currentRules;
}

export function unknownRules(rules: unknown): StopReason {
  return { code: 'unknown_rules', version: JSON.stringify(rules ?? null), known: String(currentRules) };
}
