/** Erased content is gone and stays gone; the digests that prove its existence remain. */

import { readFileSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { readLastRun, readRuns } from '../../../src/store/archive/archived-runs.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import type { Erasure } from '../../../src/store/archive/find-erasure.js';
import { pruneChains } from '../../../src/store/archive/prune.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import { renameSegment, typicalSegment } from '../../support/archived.js';
import { matchError } from '../../support/match-error.js';
import { describeStores } from '../../support/stores.js';

const now = Date.UTC(2026, 10, 22);
const options = { namespace: 'default', by: 'dpo', now };
const key = (chainId: string) => ({ namespace: 'default', chainId });

const ofAda = typicalSegment({
  steps: 3,
  chainId: 'a',
  input: { user: 'ada', tenant: 'acme', task: 'Find Rumpelstiltskin.' },
});
const ofBob = typicalSegment({ steps: 3, chainId: 'b', input: { user: 'bob', tenant: 'acme' } });
const other = typicalSegment({ steps: 3, chainId: 'c', input: { user: 'cy' } });

async function fillStore(store: Store): Promise<void> {
  for (const each of [ofAda, ofBob, other]) await putRun(store, each);
}

const ids = async (store: Store, text: string) =>
  (await queryArchive(store, { namespace: 'default', text })).chains.map(({ chainId }) => chainId);

describeStores((open) => {
  it('erases one chain: every reader gets an error; the outcome and the digests remain', async () => {
    const store = await open();
    await fillStore(store);
    const also: string[] = [];
    const erased = await eraseChains(
      store,
      { chainId: 'a' },
      { ...options, also: async (_, chains) => void also.push(...chains.map(({ chainId }) => chainId)) },
    );
    expect(erased.chains).toEqual(['a']);
    expect(also).toEqual(['a']);
    const message = 'Chain a was erased on 2026-11-22 by dpo: only its digests remain.';
    await expect(readLastRun(store, key('a'))).rejects.toThrow(matchError('chain_erased', message));
    await expect(readRuns(store, key('a'))).rejects.toThrow(matchError('chain_erased', message));
    expect(await ids(store, 'rumpelstiltskin')).toEqual([]);
    const { chains } = await queryArchive(store, { namespace: 'default', idPrefix: 'a' });
    expect(chains).toMatchObject([
      {
        chainId: 'a',
        agent: 'reader',
        outcome: 'success',
        steps: 3,
        input: null,
        user: null,
        erased: { at: now, by: 'dpo' },
      },
    ]);
    expect(chains[0]?.head).toBe(ofAda.after.head);
    expect((await readLastRun(store, key('b')))?.turns).toEqual(ofBob.run.turns);
    expect((await eraseChains(store, { chainId: 'a' }, options)).chains).toEqual([]);
  });

  it('archives no content of an erased chain again, not even of its later runs', async () => {
    const store = await open();
    await fillStore(store);
    await eraseChains(store, { chainId: 'a' }, options);
    expect(await putRun(store, ofAda)).toBe('alreadyArchived');
    const later = { ...ofAda, run: { ...ofAda.run, runId: 'later', closedAt: ofAda.run.closedAt + 1 } };
    const erasures: (Erasure | null)[] = [];
    expect(await putRun(store, later, async (_, erasure) => void erasures.push(erasure))).toBe('erased');
    expect(erasures).toEqual([{ erased_at: now, erased_by: 'dpo', scope: 'chain' }]);
    await expect(readLastRun(store, key('a'))).rejects.toThrow(matchError('chain_erased', 'by dpo'));
    const { rows } = await sql<{ n: number }>`select count(*) as n from archive_pages
      where run in (select id from archive_runs where chain in (select id from archive_chains where chain_id = 'a'))`.execute(
      store.db,
    );
    expect(rows[0]?.n).toBe(0);
  });

  it('erases a chain before it is archived', async () => {
    const store = await open();
    await eraseChains(store, { chainId: 'a' }, options);
    expect(await putRun(store, ofAda)).toBe('erased');
    await expect(readLastRun(store, key('a'))).rejects.toThrow(matchError('chain_erased', '2026-11-22'));
    // A later chain with the same id is a different chain.
    const restarted = typicalSegment({ steps: 3, chainId: 'a', runId: 'restarted', startedAt: now + 1_000 });
    expect(await putRun(store, restarted)).toBe('put');
    expect((await readLastRun(store, key('a')))?.runId).toBe('restarted');
  });

  it('erases one person’s chains, including those archived later', async () => {
    const store = await open();
    await fillStore(store);
    expect((await eraseChains(store, { user: 'ada' }, options)).chains).toEqual(['a']);
    const late = typicalSegment({ steps: 3, chainId: 'late', input: { user: 'ada' } });
    expect(await putRun(store, late)).toBe('erased');
    await expect(readLastRun(store, key('late'))).rejects.toThrow(matchError('chain_erased', 'by dpo'));
    const since = typicalSegment({ steps: 3, chainId: 'since', input: { user: 'ada' }, startedAt: now + 1 });
    expect(await putRun(store, since)).toBe('put');
  });

  it('erases one tenant’s chains, and a chain with its sub-chains', async () => {
    const store = await open();
    await fillStore(store);
    expect((await eraseChains(store, { tenant: 'acme' }, options)).chains.toSorted()).toEqual(['a', 'b']);
    const below = typicalSegment({ steps: 2, chainId: 'c/1.1' });
    await putRun(store, below);
    await putRun(store, typicalSegment({ steps: 2, chainId: 'c2' }));
    expect((await eraseChains(store, { chainId: 'c' }, options)).chains.toSorted()).toEqual(['c', 'c/1.1']);
    expect((await readLastRun(store, key('c2')))?.runId).toBe('run-1');
    // Archived later than its parent.
    expect(await putRun(store, typicalSegment({ steps: 2, chainId: 'c/2.1' }))).toBe('erased');
    expect(await putRun(store, typicalSegment({ steps: 2, chainId: 'c/2.1/1.1' }))).toBe('erased');
    expect(await putRun(store, typicalSegment({ steps: 2, chainId: 'c2/1.1' }))).toBe('put');
  });

  it('erases the sub-chains of a chain with any characters in its id', async () => {
    const store = await open();
    await putRun(store, typicalSegment({ steps: 2, chainId: 'tea-🍵' }));
    await putRun(store, typicalSegment({ steps: 2, chainId: 'tea-🍵/1.1' }));
    const { chains, matched } = await eraseChains(store, { chainId: 'tea-🍵' }, options);
    expect(chains.toSorted()).toEqual(['tea-🍵', 'tea-🍵/1.1']);
    expect(matched.toSorted()).toEqual(chains.toSorted());
    expect((await eraseChains(store, { chainId: 'nobody' }, options)).matched).toEqual([]);
  });

  it('remembers the erasure of a chain that is not archived yet, beyond any retention', async () => {
    const store = await open();
    await eraseChains(store, { chainId: 'a' }, options);
    const day = 86_400_000;
    for (const days of [1, 2, 400]) {
      await pruneChains(store, { namespace: 'default', retention: [], now: now + days * day });
    }
    expect(await putRun(store, ofAda)).toBe('erased');
  });
});

describeStores(
  (open) => {
    it('leaves no erased text in the file', async () => {
      const store = await open();
      await fillStore(store);
      await putRun(store, typicalSegment({ steps: 3, chainId: 'd', answer: 'Rapunzel it was.' }));
      await eraseChains(store, { chainId: 'a' }, options);
      await eraseChains(store, { chainId: 'd' }, options);
      const path = (await open.where()).replace('sqlite:', '');
      for (const file of [path, `${path}-wal`]) {
        const bytes = readFileSync(file).toString('latin1').toLowerCase();
        expect(bytes).not.toContain('rumpelstiltskin');
        expect(bytes).not.toContain('rapunzel');
      }
    });

    it('returns the space to the disk', async () => {
      const store = await open();
      const long = typicalSegment({ steps: 100, input: { user: 'u' } });
      for (let at = 0; at < 15; at += 1) await putRun(store, renameSegment(long, `long-${at}`, `run-${at}`));
      const path = (await open.where()).replace('sqlite:', '');
      await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
      const before = statSync(path).size;
      expect((await eraseChains(store, { user: 'u' }, options)).reclaimed).toBe(true);
      expect(statSync(path).size).toBeLessThan(before / 2);
    });
  },
  ['file'],
);
