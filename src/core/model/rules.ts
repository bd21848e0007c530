/**
 * The version of the rules in `advance` and `decide`. A chain runs by the version that it was started with, to its end:
 * from the first release on, a change that a stored history would notice is a new version, beside the old one.
 */

export const currentRules = 1;

export function isKnownRules(rules: unknown): boolean {
  return rules === currentRules;
}

export function unknownRules(rules: unknown): string {
  return `The chain was started by rules of version ${JSON.stringify(rules ?? null)}, and this worker knows version ${currentRules}. Deploy a newer version of Longhand to the workers.`;
}
