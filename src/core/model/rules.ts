/**
 * Versions of the rules in `advance` and `decide`. A chain runs by those that it was started with, to its
 * end: a change that a stored history would notice is a new version, and the old one is kept beside it.
 */

export const currentRules = 3;

export const knownRules: readonly number[] = [1, 2, 3];

/**
 * What each version brought. 2: a person is asked whether an unsafe call happened whose outcome is unknown, where 1 ends
 * the chain; a second cancel is at once, and Temporal's own behind a cancel by name only confirms it.
 * 3: a long chain goes on in a new run.
 */
export function asksPeople(state: { readonly input: { readonly rules: number } | null }): boolean {
  return (state.input?.rules ?? 1) >= 2;
}

export function continuesAsNew(state: { readonly input: { readonly rules: number } | null }): boolean {
  return (state.input?.rules ?? 1) >= 3;
}

export function unknownRules(rules: unknown): string {
  return `The chain was started by rules of version ${JSON.stringify(rules ?? null)}, and this worker knows ${knownRules.join(', ')}. Deploy a newer version of Longhand to the workers.`;
}
