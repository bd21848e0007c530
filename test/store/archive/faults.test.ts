/** Disks that are full, files that are damaged, clocks that jump: what was archived stays, and nothing is half there. */

import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { listArchived } from '../../../src/store/archive/list-chains.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { lastRun, readRuns } from '../../../src/store/archive/read-run.js';
import { endSweep, takeSweep } from '../../../src/store/archive/sweeps.js';
import { isStoreError } from '../../../src/store/errors.js';
import { openStore } from '../../../src/store/open.js';
import { typicalSegment } from '../../support/archived.js';
import { describeStores, freshFile } from '../../support/stores.js';

const key = (chainId: string) => ({ namespace: 'default', chainId });

it('a full disk keeps what is there, says so, and takes more once there is room', async () => {
  const fresh = await freshFile();
  const store = await openStore(fresh.where);
  try {
    const put = (at: number) => putRun(store, typicalSegment({ steps: 40, chainId: `chain-${at}` }));
    await put(0);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 20)}`.execute(store.db);
    let came: unknown = null;
    let there = 1;
    for (; came === null && there < 50; there += came === null ? 1 : 0) {
      came = await put(there).then(
        () => null,
        (error: unknown) => error,
      );
    }
    expect(isStoreError(came) && came.kind).toBe('full');
    expect((came as Error).message).toContain('Make room on its disk');
    for (let at = 0; at < there; at += 1) expect(await lastRun(store, key(`chain-${at}`))).not.toBeNull();
    expect(await lastRun(store, key(`chain-${there}`))).toBeNull();
    expect((await listArchived(store, { namespace: 'default', text: 'customer' })).chains).toHaveLength(there);
    await sql`pragma max_page_count = 1000000`.execute(store.db);
    expect(await put(there)).toBe('put');
    expect(await lastRun(store, key(`chain-${there}`))).not.toBeNull();
  } finally {
    await store.close();
    await fresh.remove();
  }
});

it('a damaged file is told as one, and never read as something else', async () => {
  const fresh = await freshFile();
  const path = fresh.where.replace('sqlite:', '');
  try {
    const before = await openStore(fresh.where);
    const whole = typicalSegment({ steps: 120 });
    await putRun(before, whole);
    await before.close();
    const file = openSync(path, 'r+');
    for (let at = 8_192; at < statSync(path).size; at += 16_384) writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, at);
    closeSync(file);
    const told = await openStore(fresh.where)
      .then(async (store) => {
        try {
          return await readRuns(store, key('reader-1'));
        } finally {
          await store.close();
        }
      })
      .catch((error: unknown) => error);
    expect(told).toBeInstanceOf(Error);
    expect((told as Error).message).toMatch(/damaged|missing in the archive/);
  } finally {
    await fresh.remove();
  }
});

describeStores((open) => {
  const minute = 60_000;

  it('one sweeps at a time, and who dies over it is not waited for long', async () => {
    const store = await open();
    const take = (now: number) => takeSweep(store, { namespace: 'default', now, leaseMs: 10 * minute });
    expect(await take(1_000 * minute)).toBe(0);
    expect(await take(1_001 * minute)).toBeNull();
    expect(await take(1_011 * minute)).toBe(0);
    await endSweep(store, { namespace: 'default', watermark: 1_011 * minute });
    expect(await take(1_012 * minute)).toBe(1_011 * minute);
  });

  it('a clock that was ahead holds up no later sweep, and makes none begin too late', async () => {
    const store = await open();
    const take = (now: number) => takeSweep(store, { namespace: 'default', now, leaseMs: 10 * minute });
    const ahead = 1_000_000 * minute;
    expect(await take(ahead)).toBe(0);
    expect(await take(1_000 * minute)).toBe(0);
    await endSweep(store, { namespace: 'default', watermark: ahead });
    // Never after what is now.
    expect(await take(1_001 * minute)).toBe(1_001 * minute);
  });
});
