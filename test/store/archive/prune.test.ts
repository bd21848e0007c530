/** Retention: due chains are deleted, and a clock that jumps deletes nothing. */

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { readLastRun } from '../../../src/store/archive/archived-runs.js';
import { pruneChains } from '../../../src/store/archive/prune.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import {
  computeRetentionMs,
  type Retention,
  readRetention,
  validateRetention,
} from '../../../src/store/archive/retention.js';
import { typicalSegment } from '../../support/archived.js';
import { matchError } from '../../support/match-error.js';
import { describeStores } from '../../support/stores.js';

const dayMs = 86_400_000;
const began = Date.UTC(2026, 0, 1);
const after = (days: number) => began + days * dayMs + 3_600_000;

const retention: Retention = [
  { days: 10 },
  { tenant: 'acme', days: 30 },
  { outcome: 'failure', days: 5 },
  { tenant: 'acme', outcome: 'failure', days: 20 },
  { tenant: 'vault', days: 'forever' },
];

const archiveChain = (chainId: string, tenant: string | null, outcome = 'success') => {
  const segment = typicalSegment({ steps: 2, chainId, input: { tenant }, startedAt: began });
  return { ...segment, glance: { ...segment.glance, outcome } };
};

async function listChainIds(store: Store): Promise<readonly string[]> {
  const { chains } = await queryArchive(store, { namespace: 'default' });
  return chains.map(({ chainId }) => chainId).toSorted();
}

describeStores((open) => {
  const filled = async () => {
    const store = await open();
    await putRun(store, archiveChain('plain', null));
    await putRun(store, archiveChain('failed', null, 'failure'));
    await putRun(store, archiveChain('acme', 'acme'));
    await putRun(store, archiveChain('acme-failed', 'acme', 'failure'));
    await putRun(store, archiveChain('vault', 'vault'));
    const { run, ...rest } = archiveChain('goes-on', null);
    await putRun(store, {
      ...rest,
      run: { ...run, closed: 'continuedAsNew' },
      glance: { ...rest.glance, outcome: null },
    });
    return store;
  };
  const at = (store: Store, now: number, more = {}) =>
    pruneChains(store, { namespace: 'default', retention, now, graceMs: 0, ...more });

  it('applies the most specific rule by tenant and outcome', async () => {
    const store = await filled();
    expect(await at(store, after(4))).toBe(0);
    expect(await at(store, after(5))).toBe(1);
    expect(await listChainIds(store)).toEqual(['acme', 'acme-failed', 'goes-on', 'plain', 'vault']);
    await at(store, after(10));
    expect(await listChainIds(store)).toEqual(['acme', 'acme-failed', 'goes-on', 'vault']);
    await at(store, after(20));
    expect(await listChainIds(store)).toEqual(['acme', 'goes-on', 'vault']);
    await at(store, after(10_000));
    expect(await listChainIds(store)).toEqual(['goes-on', 'vault']);
    for (const table of ['archive_runs', 'archive_pages']) {
      const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(store.db);
      expect(rows).toHaveLength(2);
    }
    expect((await queryArchive(store, { namespace: 'default', text: 'customer' })).chains).toHaveLength(2);
  });

  it('keeps a chain without a matching rule for 90 days', async () => {
    const store = await filled();
    const options = { retention: [{ tenant: 'vault', days: 'forever' }] };
    expect(await at(store, after(89), options)).toBe(0);
    expect(await at(store, after(90), options)).toBe(4);
  });

  it('deletes nothing when the clock is ahead for a while', async () => {
    const store = await filled();
    const careful = { graceMs: dayMs };
    expect(await at(store, after(4), careful)).toBe(0);
    // A year ahead, several times within the hour, then corrected.
    for (const minute of [0, 1, 30]) expect(await at(store, after(365) + minute * 60_000, careful)).toBe(0);
    expect(await at(store, after(4), careful)).toBe(0);
    expect(await at(store, after(6), careful)).toBe(0);
    expect(await listChainIds(store)).toHaveLength(6);
    // Truly due chains are deleted a day later.
    expect(await at(store, after(7), careful)).toBe(1);
    // With a clock that is behind, nothing is due.
    expect(await at(store, after(-5_000), careful)).toBe(0);
    expect(await listChainIds(store)).toHaveLength(5);
  });

  it('deletes a chain together with its other data, or not at all', async () => {
    const store = await filled();
    const gone: string[] = [];
    const failing = at(store, after(5), { forget: () => Promise.reject(new Error('not now')) });
    await expect(failing).rejects.toThrow('not now');
    expect(await listChainIds(store)).toHaveLength(6);
    await at(store, after(5), { forget: async (id: string) => void gone.push(id) });
    expect(gone).toEqual(['failed']);
    expect(await readLastRun(store, { namespace: 'default', chainId: 'failed' })).toBeNull();
  });
});

describe('retention', () => {
  it('is read from the environment', () => {
    expect(readRetention({})).toEqual([]);
    expect(readRetention({ LONGHAND_RETENTION: '30' })).toEqual([{ days: 30 }]);
    expect(readRetention({ LONGHAND_RETENTION: 'forever' })).toEqual([{ days: 'forever' }]);
    expect(readRetention({ LONGHAND_RETENTION: JSON.stringify(retention) })).toEqual(retention);
    expect(() => readRetention({ LONGHAND_RETENTION: '90 days' })).toThrow(
      matchError('invalid_policy', 'Use a number of days, or rules'),
    );
    expect(() => readRetention({ LONGHAND_RETENTION: '[{ "tennant": "a", "days": 1 }]' })).toThrow(
      matchError('invalid_policy', 'rule 1 has tennant'),
    );
  });

  it.each([
    [{}, 'expected a list of rules'],
    [[{}], 'rule 1 has no days; expected a number from 0 to 1,000,000, or "forever"'],
    [[{ days: -1 }], 'rule 1 has the days -1; expected a number from 0 to 1,000,000, or "forever"'],
    [[{ days: 1 }, { days: 2 }], 'rule 2 is for the same chains as an earlier rule'],
    [[{ days: 1, tenant: 3 }], 'rule 1 has an invalid tenant: expected a string'],
  ])('is rejected with a reason: %j', (rules, problem) => {
    expect(validateRetention(rules)).toBe(problem);
  });

  it('is computed for one chain as it is for all', () => {
    expect(computeRetentionMs(retention, { tenant: 'acme', outcome: 'failure' })).toBe(20 * dayMs);
    expect(computeRetentionMs(retention, { tenant: 'vault', outcome: 'failure' })).toBeNull();
    expect(computeRetentionMs(retention, { tenant: null, outcome: 'failure' })).toBe(5 * dayMs);
    expect(computeRetentionMs([], { tenant: null, outcome: null })).toBe(90 * dayMs);
  });
});
