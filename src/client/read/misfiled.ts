/** Where a chain's row in the archive differs from its facts. */

import type { Listing } from '../../contract/archived-runs.js';
import { canonical } from '../../core/lib/json.js';
import { type GlanceSource, glanceOf } from '../../core/record/glance.js';

export interface Misfiled {
  /** `outcome`, `head of run …` */
  readonly member: string;
  /** By the facts, and by the row; as JSON. */
  readonly expected: string;
  readonly found: string;
}

/** @param heads where the facts of each run end, by its id. @returns the first difference; null where all agree */
export function misfiledIn(
  { chainId, chain, closed, closedAt }: GlanceSource,
  heads: ReadonlyMap<string, string>,
  listed: Listing,
): Misfiled | null {
  const { facts, head } = chain.state;
  const proven: Record<string, unknown> = { facts, head, ...glanceOf({ chainId, chain, closed, closedAt }) };
  const said: Record<string, unknown> = { facts: listed.facts, head: listed.head, ...listed.glance };
  for (const [runId, end] of listed.heads) {
    proven[`head of run ${runId}`] = heads.get(runId);
    said[`head of run ${runId}`] = end;
  }
  for (const member of Object.keys(said)) {
    const [expected, found] = [storedText(proven[member]), storedText(said[member])];
    if (expected !== found) return { member, expected, found };
  }
  return null;
}

/** Databases do not hold U+0000, which facts may. */
function storedText(value: unknown): string {
  return canonical(value).replaceAll('\\u0000', '\ufffd');
}
