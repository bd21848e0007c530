/** Compares the archive's row of a chain with its facts. */

import type { ArchiveListing } from '../../contract/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import { type ChainListItemSource, toChainListItem } from '../../core/record/index.js';

export interface ArchiveMismatch {
  /** `outcome`, `head of run …` */
  readonly member: string;
  /** The values of the facts and of the row, as JSON. */
  readonly expected: string;
  readonly found: string;
}

/**
 * Compares a chain's row in the archive with its facts.
 *
 * @param heads the head of each run, by run id
 * @returns the first difference; null if all agree
 */
export function compareWithArchive(
  { chainId, chain, closed, closedAt }: ChainListItemSource,
  heads: ReadonlyMap<string, string>,
  listed: ArchiveListing,
): ArchiveMismatch | null {
  const { facts, head } = chain.state;
  const proven: Record<string, unknown> = { facts, head, ...toChainListItem({ chainId, chain, closed, closedAt }) };
  const stored: Record<string, unknown> = { facts: listed.facts, head: listed.head, ...listed.glance };
  for (const [runId, end] of listed.heads) {
    proven[`head of run ${runId}`] = heads.get(runId);
    stored[`head of run ${runId}`] = end;
  }
  for (const member of Object.keys(stored)) {
    const [expected, found] = [toStoredText(proven[member]), toStoredText(stored[member])];
    if (expected !== found) return { member, expected, found };
  }
  return null;
}

/** Replaces U+0000: facts may contain it, databases cannot store it. */
function toStoredText(value: unknown): string {
  return toCanonicalJson(value).replaceAll('\\u0000', '\ufffd');
}
