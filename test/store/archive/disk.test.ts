/** The archive on a full or damaged disk: it reports the fault and keeps the intact chains. */

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { readRun } from '../../../src/store/archive/archived-runs.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import type { Segment } from '../../../src/store/archive/segment.js';
import { openStore } from '../../../src/store/db/open.js';
import { namespace, renameSegment, typicalSegment } from '../../support/archived.js';
import { matchError } from '../../support/match-error.js';
import { describeStores } from '../../support/stores.js';

const made = new Map([30, 60].map((steps) => [steps, typicalSegment({ steps })]));
const segmentOf = (chainId: string, steps: 30 | 60 = 30) =>
  renameSegment(made.get(steps) as Segment, chainId, `run of ${chainId}`);
const read = (store: Store, chainId: string) => readRun(store, { namespace, chainId }, `run of ${chainId}`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Archives chains until the disk is full. Returns their number. */
async function fill(store: Store): Promise<number> {
  for (let number = 0; number < 500; number += 1) {
    const put = putRun(store, segmentOf(`chain ${number}`));
    const error = await put.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error === null) continue;
    expect(error).toMatchObject({ code: 'store_full' });
    expect((error as Error).message).toContain(`The disk of the store ${store.location} is full. Free space`);
    return number;
  }
  throw new Error('There was room for all.');
}

/** Archived chains are readable, the failed one left nothing, and it is archived once there is space. */
async function expectRecovery(store: Store, there: number): Promise<void> {
  expect(there).toBeGreaterThan(0);
  for (let number = 0; number < there; number += 1) expect(await read(store, `chain ${number}`)).not.toBeNull();
  const next = segmentOf(`chain ${there}`);
  expect(await putRun(store, next)).toBe('put');
  expect(await read(store, `chain ${there}`)).toEqual(next.run);
  const { rows } = await sql`select 1 from archive_pages where run not in (select id from archive_runs)`.execute(
    store.db,
  );
  expect(rows).toEqual([]);
}

describe('a full disk', () => {
  it('limited by a page count stores no partial run, and recovers when there is space', async () => {
    const store = await openStore(join(folder, 'full.db'));
    await sql`pragma max_page_count = 200`.execute(store.db);
    const there = await fill(store);
    expect(await read(store, `chain ${there}`)).toBeNull();
    await sql`pragma max_page_count = 100000`.execute(store.db);
    await expectRecovery(store, there);
    await store.close();
  });

  if (!mayMount()) return;

  it('of a real file system stores no partial run, and recovers when there is space', async () => {
    mount(folder, '2m');
    try {
      const ballast = join(folder, 'ballast');
      writeFileSync(ballast, Buffer.alloc(600_000));
      const store = await openStore(join(folder, 'full.db'));
      const there = await fill(store);
      expect(await read(store, `chain ${there}`)).toBeNull();
      unlinkSync(ballast);
      await expectRecovery(store, there);
      await store.close();
    } finally {
      execFileSync('umount', [folder]);
    }
  });
});

function mount(place: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'pipe' });
}

/** Root may mount, but not in every container. */
function mayMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'longhand-mount-'));
  try {
    mount(place, '64k');
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe('a file whose bytes were overwritten', () => {
  const path = () => join(folder, 'store.db');

  /** A store with bytes overwritten at the offset that `place` returns. */
  const damaged = async (place: (file: Buffer, store: Store) => Promise<number>, bytes: number) => {
    const store = await openStore(path());
    for (const chainId of ['first', 'middle', 'last']) await putRun(store, segmentOf(chainId, 60));
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
    const at = await place(readFileSync(path()), store);
    await store.close();
    const file = openSync(path(), 'r+');
    writeSync(file, Buffer.alloc(bytes, 'garbage'), 0, bytes, at);
    closeSync(file);
    return openStore(path());
  };

  it('within a run: the error names chain, run and page, and other chains remain readable', async () => {
    const inMiddle = async (file: Buffer, { db }: Store) => {
      const { data } = await db
        .selectFrom('archive_pages as page')
        .innerJoin('archive_runs as run', 'run.id', 'page.run')
        .where('run.run_id', '=', 'run of middle')
        .where('page.page', '=', 0)
        .select('page.data')
        .executeTakeFirstOrThrow();
      const value = Buffer.from(data);
      // The chains differ in their names only: the end of a value may be the same in all of them. A part may also lie on two pages.
      for (let end = value.length; end > 0; end -= 40) {
        const part = value.subarray(Math.max(0, end - 40), end);
        const at = file.indexOf(part);
        if (at > 0 && file.lastIndexOf(part) === at) return at;
      }
      throw new Error('No part of the page is found exactly once.');
    };
    const store = await damaged(inMiddle, 16);
    await expect(read(store, 'middle')).rejects.toThrow(
      matchError('run_damaged', 'Page 1 of run run of middle of chain middle is damaged'),
    );
    for (const chainId of ['first', 'last']) expect(await read(store, chainId)).toEqual(segmentOf(chainId, 60).run);
    expect(await putRun(store, segmentOf('new'))).toBe('put');
    await store.close();
  });

  it('in an index of the database: the error names the damaged file', async () => {
    const rootOf = async (_: Buffer, { db }: Store) => {
      const { rows } = await sql<{ rootpage: number }>`
        select rootpage from sqlite_master where name = 'archive_pages'`.execute(db);
      return 4096 * ((rows[0]?.rootpage ?? 0) - 1);
    };
    const store = await damaged(rootOf, 4096);
    expect(statSync(path()).size).toBeGreaterThan(4096);
    await expect(read(store, 'middle')).rejects.toThrow(matchError('store_corrupt', `${store.location} is damaged`));
    await store.close();
  });
});

describeStores((open) => {
  it('a damaged row is named in the error, and other chains remain readable', async () => {
    const store = await open();
    for (const chainId of ['first', 'middle', 'last']) await putRun(store, segmentOf(chainId, 60));
    const run = sql`(select id from archive_runs where run_id = 'run of middle')`;
    await sql`update archive_pages set checksum = 'other' where page = 0 and run = ${run}`.execute(store.db);
    await expect(read(store, 'middle')).rejects.toThrow(
      matchError('run_damaged', 'Page 1 of run run of middle of chain middle is damaged'),
    );
    await expect(read(store, 'middle')).rejects.toThrow(matchError('run_damaged', 'Restore a backup of the store'));
    for (const chainId of ['first', 'last']) expect(await read(store, chainId)).toEqual(segmentOf(chainId, 60).run);
  });
});
