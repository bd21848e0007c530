/** A run is archived once, completely, and read back unchanged. */

import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { RunPiece } from '../../../src/contract/archived-runs.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { chainFormat, chainVersion, findDefinition } from '../../../src/core/record/chain-file.js';
import { verifyFile } from '../../../src/core/record/verify-file.js';
import type { Store } from '../../../src/entries/store.js';
import { createArchiveReader, readLastRun, readRun, readRuns } from '../../../src/store/archive/archived-runs.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import { segment, typicalSegment } from '../../support/archived.js';
import { matchError } from '../../support/match-error.js';
import { storedRecords } from '../../support/stored-chain.js';
import { describeStores, sharedDatabases } from '../../support/stores.js';

const key = { namespace: 'default', chainId: 'reader-1' };

/** @param most the number of pieces to read; default: all */
async function piecesOf(store: Store, most = Number.POSITIVE_INFINITY): Promise<readonly RunPiece[]> {
  const chain = await createArchiveReader(store, key.namespace).findChain(key.chainId);
  const pieces: RunPiece[] = [];
  for await (const piece of chain?.readPieces() ?? []) if (pieces.push(piece) >= most) break;
  return pieces;
}

/** Two pages. It is made once: that takes long. */
const longSegment = typicalSegment({ steps: 150 });

describeStores((open) => {
  it('returns an archived run unchanged, and `there` for the second attempt', async () => {
    const store = await open();
    const put = longSegment;
    expect(await putRun(store, put)).toBe('put');
    expect(await putRun(store, put)).toBe('alreadyArchived');
    expect(await readRun(store, key, 'run-1')).toEqual(put.run);
    expect(await readLastRun(store, key)).toEqual(put.run);
    expect(await readRuns(store, key)).toEqual([put.run]);
    expect(await readRun(store, key, 'run-2')).toBeNull();
    expect(await readRun(store, { ...key, namespace: 'other' }, 'run-1')).toBeNull();
    expect(await readRun(store, { ...key, chainId: 'reader' }, 'run-1')).toBeNull();
  });

  it('archives every recorded chain, with verified digests', async () => {
    const store = await open();
    let put = 0;
    for (const { chainId, runs } of await storedRecords()) {
      for (const run of runs) {
        if (run.closed === null) continue;
        const made = segment(chainId, run);
        await putRun(store, made);
        put += 1;
        const read = await readRuns(store, { namespace: 'default', chainId });
        expect(read).toEqual([run]);
        const about = {
          format: chainFormat,
          version: chainVersion,
          chainId,
          definition: findDefinition([run]),
        } as const;
        expect(verifyFile({ ...about, runs: read ?? [], digest: made.after.head }).divergence).toBeNull();
      }
    }
    expect(put).toBeGreaterThan(15);
  });

  it('writes a run and its related rows together once, or neither', async () => {
    const store = await open();
    const put = typicalSegment({ steps: 3 });
    const failing = putRun(store, put, () => Promise.reject(new Error('no entry')));
    await expect(failing).rejects.toThrow('no entry');
    expect(await readLastRun(store, key)).toBeNull();
    let writes = 0;
    const also = async () => {
      writes += 1;
    };
    await putRun(store, put, also);
    await putRun(store, put, also);
    expect(writes).toBe(1);
  });

  it('reads a run in pieces, the first one without the rest', async () => {
    const store = await open();
    const { run } = longSegment;
    await putRun(store, longSegment);
    const pieces = await piecesOf(store);
    expect(pieces.length).toBeGreaterThan(1);
    const { head } = foldRecordedTurns(run.turns).chain.state;
    expect(pieces.map((piece) => piece.head)).toEqual(pieces.map((_, at) => (at === pieces.length - 1 ? head : null)));
    expect(pieces.flatMap(({ turns }) => turns)).toEqual(run.turns);
    expect(Object.assign({}, ...pieces.map(({ attempts }) => attempts))).toEqual(run.attempts);
    // The first piece does not need the other pages: they may even be missing.
    await store.write((tx) => tx.deleteFrom('archive_pages').where('page', '>', 0).execute().then());
    expect(await piecesOf(store, 1)).toEqual(pieces.slice(0, 1));
    await expect(piecesOf(store)).rejects.toThrow(matchError('run_damaged', 'run run-1 of chain reader-1 is missing'));
    expect(await createArchiveReader(store, key.namespace).findChain('none')).toBeNull();
  });

  it('names a damaged page, and a missing one', async () => {
    const store = await open();
    await putRun(store, longSegment);
    const { rows } = await sql<{ data: Buffer }>`select data from archive_pages where page = 1`.execute(store.db);
    const data = Buffer.from(rows[0]?.data ?? []);
    data[1_000] = (data[1_000] ?? 0) ^ 4;
    await store.write((tx) => tx.updateTable('archive_pages').set({ data }).where('page', '=', 1).execute().then());
    await expect(readLastRun(store, key)).rejects.toThrow(
      matchError('run_damaged', 'Page 2 of run run-1 of chain reader-1 is damaged'),
    );
    expect(await piecesOf(store, 1)).toHaveLength(1);
    await store.write((tx) => tx.deleteFrom('archive_pages').where('page', '=', 1).execute().then());
    await expect(readLastRun(store, key)).rejects.toThrow(
      matchError('run_damaged', 'run run-1 of chain reader-1 is missing'),
    );
  });

  it('keeps a run that a reset left behind; the run that closed last describes the chain', async () => {
    const store = await open();
    const left = typicalSegment({ steps: 5, runId: 'left' });
    const { run } = typicalSegment({ steps: 9, runId: 'gone-on' });
    const later = {
      ...typicalSegment({ steps: 9, runId: 'gone-on' }),
      run: { ...run, closedAt: left.run.closedAt + 5_000 },
    };
    await putRun(store, later);
    await putRun(store, { ...left, run: { ...left.run, closed: 'terminated' } });
    expect((await readLastRun(store, key))?.runId).toBe('gone-on');
    expect((await readRun(store, key, 'left'))?.closed).toBe('terminated');
    const { chains } = await queryArchive(store, { namespace: 'default' });
    expect(chains).toMatchObject([{ chainId: 'reader-1', runId: 'gone-on', steps: 9, outcome: 'success' }]);
  });
});

describeStores((open) => {
  it('archives a run once, however many workers try at the same time', async () => {
    const segments = Array.from({ length: 12 }, (_, at) => typicalSegment({ steps: 4, chainId: `chain-${at}` }));
    const stores = await Promise.all([open(), open(), open()]);
    let writes = 0;
    const also = async () => {
      writes += 1;
    };
    const all = stores.flatMap((store) => segments.map((each) => putRun(store, each, also)));
    const came = await Promise.all(all);
    expect(came.filter((each) => each === 'put')).toHaveLength(12);
    expect(came.filter((each) => each === 'alreadyArchived')).toHaveLength(24);
    expect(writes).toBe(12);
    const { rows } = await sql`select 1 from archive_runs`.execute(stores[0]?.db as never);
    expect(rows).toHaveLength(12);
  });
}, sharedDatabases);
