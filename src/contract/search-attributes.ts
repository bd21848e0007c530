/** Search attributes of chains. The SQLite dev server allows 10 Keyword, 3 Int, 3 Double. */

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

export const searchAttributes = [
  { name: 'LonghandAgent', type: 'Keyword' },
  { name: 'LonghandAgentVersion', type: 'Keyword' },
  { name: 'LonghandTenant', type: 'Keyword' },
  { name: 'LonghandStatus', type: 'Keyword' },
  // What a chain waits for that a person has to repair; without a value in other chains.
  { name: 'LonghandHeldBy', type: 'Keyword' },
  { name: 'LonghandOutcome', type: 'Keyword' },
  { name: 'LonghandRoot', type: 'Keyword' },
  // The origin of a fork: finds a chain's forks.
  { name: 'LonghandOrigin', type: 'Keyword' },
  // The first chain of a conversation; without a value in sub-chains.
  { name: 'LonghandThread', type: 'Keyword' },
  { name: 'LonghandSteps', type: 'Int' },
  { name: 'LonghandTokens', type: 'Int' },
  { name: 'LonghandCostUsd', type: 'Double' },
] as const satisfies readonly { readonly name: string; readonly type: 'Keyword' | 'Int' | 'Double' }[];

/** Finds the chains that wait until a person repairs what holds them. */
export const heldChainsQuery = "ExecutionStatus = 'Running' AND LonghandHeldBy IS NOT NULL";

export type KeywordName = Extract<(typeof searchAttributes)[number], { readonly type: 'Keyword' }>['name'];

export function createKeywordKey(
  name: KeywordName,
): ReturnType<typeof defineSearchAttributeKey<typeof SearchAttributeType.KEYWORD>> {
  return defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
}
