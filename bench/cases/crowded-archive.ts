/** An archive of many chains, and searches that find some of them. */

import { putRun } from '../../src/store/archive/put-run.js';
import type { Segment } from '../../src/store/archive/segment.js';
import type { ArchiveQuery } from '../../src/store/db/queries.js';
import type { Store } from '../../src/store/db/store.js';

const since = Date.UTC(2026, 0, 1);
const minute = 60_000;
const topics = ['invoice', 'refund', 'shipment', 'contract', 'complaint', 'forecast', 'audit', 'renewal'];

/** Archives copies of a chain with different agents, tenants, times and words. */
export async function fillArchive(store: Store, pattern: Segment, chains: number): Promise<void> {
  const put = async (nth: number) => {
    const startedAt = since + nth * minute;
    const glance = { ...pattern.glance, agent: `agent-${nth % 20}`, tenant: `tenant-${nth % 50}`, startedAt };
    const words = new Set([...pattern.words, topics[nth % topics.length] as string, `case${nth}`]);
    const run = { ...pattern.run, runId: `run-${nth}` };
    await putRun(store, { ...pattern, chainId: `chain-${nth}`, run, glance, words });
  };
  const atOnce = store.kind === 'postgres' ? 8 : 1;
  for (let nth = 0; nth < chains; nth += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, chains - nth) }, (_, more) => put(nth + more)));
  }
}

/** Each of them finds something in 250 chains and more. */
export function searchesIn(chains: number): Readonly<Record<string, Omit<ArchiveQuery, 'namespace'>>> {
  const middle = since + Math.floor(chains / 2) * minute;
  return {
    agent: { agent: 'agent-7' },
    tenant: { tenant: 'tenant-31' },
    time: { since: middle, until: middle + 60 * minute },
    'a word of one in eight': { text: 'refund' },
    'a word of one': { text: `case${Math.floor(chains * 0.4711)}` },
    all: { agent: 'agent-7', tenant: 'tenant-27', since, until: since + chains * 0.9 * minute, text: 'contract' },
  };
}
