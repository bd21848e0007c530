/**
 * Versions of the rules in `advance` and `decide`. A chain runs by those that it was started with, to its
 * end: a change that a stored history would notice is a new version, and the old one is kept beside it.
 */

export const currentRules = 1;

export const knownRules: readonly number[] = [1];

export function unknownRules(rules: unknown): string {
  return `The chain was started by rules of version ${JSON.stringify(rules ?? null)}, and this worker knows ${knownRules.join(', ')}. Deploy a newer version of Longhand to the workers.`;
}
