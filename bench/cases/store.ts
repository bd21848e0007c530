/**
 * The archive, on both databases: what it takes to read a long chain back and to see its first steps, what 100 steps take
 * on disk, and how soon one chain is found among many.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { findArchivedSource, type ReadingClient, resolveChainSource } from '../../src/client/read/chain-source.js';
import { followChain, followPageEvents, readChain } from '../../src/client/read/read-chain.js';
import { readRecordedChain } from '../../src/client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import type { Chain } from '../../src/core/model/chain.js';
import type { ChainRun } from '../../src/core/record/chain-file.js';
import type { RecordedChain } from '../../src/core/record/recorded-chain.js';
import { computeSha256 } from '../../src/history/fold.js';
import { createArchiveReader } from '../../src/store/archive/archived-runs.js';
import { putRun } from '../../src/store/archive/put-run.js';
import { queryArchive } from '../../src/store/archive/query-archive.js';
import { type Segment, toSegment } from '../../src/store/archive/segment.js';
import { openStore } from '../../src/store/db/open.js';
import type { Store } from '../../src/store/db/store.js';
import { startPostgres } from '../../test/support/postgres.js';
import type { Case, CaseOptions } from '../case.js';
import { between, type Expected } from '../plausible.js';
import { medianTime, type Repeats, type Time, takeTurns, timeWork } from '../repeat.js';
import { cell } from '../report.js';
import { taskOf } from '../rig/task.js';
import { fillArchive, searchesIn } from './crowded-archive.js';

interface StoreSize {
  /** Of the chain that is read back; more than the first ones. */
  readonly longSteps: number;
  /** Of the chain whose copies are weighed. */
  readonly shortSteps: number;
  readonly copies: number;
  /** Chains that are searched. */
  readonly searched: number;
  /** Warm-ups until the engine has compiled everything: its compiler, on other threads, counts as CPU time as well. */
  readonly repeats: Repeats;
}

export interface StoreRow {
  readonly database: 'sqlite' | 'postgres';
  readonly what: 'read' | 'first-20' | 'disk-per-100-steps' | 'search';
  /** Of the slowest kind of search, where that was measured; null for what takes no time. */
  readonly ms: number | null;
  /** Of this process. */
  readonly cpuMs: number | null;
  readonly bytes: number | null;
}

const databases = ['sqlite', 'postgres'] as const;
const namespace = 'bench';
const firstSteps = 20;

export const store: Case<StoreRow, StoreSize> = {
  full: { longSteps: 1_000, shortSteps: 100, copies: 50, searched: 10_000, repeats: { times: 15, warmUp: 40 } },
  smoke: { longSteps: 30, shortSteps: 10, copies: 10, searched: 250, repeats: { times: 3, warmUp: 1 } },
  measure: measureStores,
  columns: [
    ['database', (row) => row.database],
    ['what', (row) => row.what],
    ['ms', (row) => cell(row.ms, 1)],
    ['CPU ms', (row) => cell(row.cpuMs, 1)],
    ['bytes', (row) => cell(row.bytes, 0)],
  ],
  expected: ({ longSteps }) => {
    const time = { ms: between(0.05, 600_000), cpuMs: between(0.05, 600_000) };
    return databases.flatMap((database): readonly Expected<StoreRow>[] => [
      { database, what: 'read', ...time, bytes: between(longSteps * 50, longSteps * 2_500) },
      { database, what: 'first-20', ...time, bytes: null },
      { database, what: 'disk-per-100-steps', ms: null, cpuMs: null, bytes: between(5_000, 500_000) },
      { database, what: 'search', ...time, bytes: null },
    ]);
  },
  contradictions: () => [],
  findings: (rows, { longSteps, searched }) =>
    databases.flatMap((database) => {
      const find = (what: StoreRow['what']) => rows.find((row) => row.database === database && row.what === what);
      const [read, first, disk, search] = [find('read'), find('first-20'), find('disk-per-100-steps'), find('search')];
      if (!read || !first || !disk || !search) return [];
      return [
        `${database}: ${longSteps} steps are read with ${read.cpuMs} ms of CPU, the first ${firstSteps} in ${first.ms} ms; 100 steps take ${Math.round((disk.bytes ?? 0) / 1_024)} KB on disk; the slowest search in ${searched} chains takes ${search.ms} ms.`,
      ];
    }),
};

async function measureStores(
  { rig: { longhand }, progress }: CaseOptions,
  size: StoreSize,
): Promise<readonly StoreRow[]> {
  const make = async (steps: number) => {
    progress(`a chain of ${steps} steps is made`);
    const chain = await longhand.start('stock_taker', taskOf(steps - 1));
    const { success, reason } = await chain.result();
    if (!success) throw new Error(`The chain of ${steps} steps did not complete: ${reason}`);
    return readRecordedChain(await resolveChainSource(longhand.client, chain.chainId));
  };
  const chains = { long: await make(size.longSteps), short: await make(size.shortSteps), tiny: await make(2) };
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-store-'));
  const postgres = await startPostgres();
  try {
    const rows: StoreRow[] = [];
    for (const where of [join(folder, 'store.db'), postgres.url]) {
      const opened = await openStore(where);
      try {
        rows.push(...(await measureStore({ store: opened, client: longhand.client, progress }, chains, size)));
      } finally {
        await opened.close();
      }
    }
    return rows;
  } finally {
    await postgres.stop();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Chains {
  readonly long: RecordedChain;
  readonly short: RecordedChain;
  readonly tiny: RecordedChain;
}

interface Measured {
  readonly store: Store;
  readonly client: ReadingClient;
  readonly progress: CaseOptions['progress'];
}

async function measureStore(
  { store, client, progress }: Measured,
  { long, short, tiny }: Chains,
  { longSteps, shortSteps, copies, searched, repeats }: StoreSize,
): Promise<readonly StoreRow[]> {
  const database = store.kind;
  const rowOf = (what: StoreRow['what'], values: Omit<StoreRow, 'database' | 'what'>): StoreRow => {
    progress(
      `${database}, ${what}: ${values.ms ?? '–'} ms, ${values.cpuMs ?? '–'} ms of CPU, ${values.bytes ?? '–'} bytes`,
    );
    return { database, what, ...values };
  };
  for (const segment of segmentsOf(long, 'long')) await putRun(store, segment);
  const pages = await pageBytes(store);
  const reader: ReadingClient = Object.assign(Object.create(client), {
    archived: createArchiveReader(store, namespace),
  });
  const openSource = async () => {
    const source = await findArchivedSource(reader, 'long');
    if (source === null) throw new Error('The chain is not in the archive.');
    return source;
  };
  const read = await timeRepeatedly(repeats, async () => {
    const { chain } = await readChain(await openSource());
    if (chain.steps.length !== longSteps) throw new Error(`${chain.steps.length} steps were read of ${longSteps}.`);
  });
  const first = await timeRepeatedly(repeats, async () => {
    const source = await openSource();
    let steps = 0;
    for await (const item of followChain(source, {}, followPageEvents(source, undefined))) {
      if ('entry' in item && item.entry.type === 'step-added') steps += 1;
      if (steps === firstSteps) return;
    }
    throw new Error(`The chain has ${steps} steps; expected ${firstSteps} at least.`);
  });

  const before = await bytesOnDisk(store);
  for (let copy = 0; copy < copies; copy += 1) {
    for (const segment of segmentsOf(short, `short-${copy}`)) await putRun(store, segment);
  }
  const disk = Math.round((((await bytesOnDisk(store)) - before) / copies) * (100 / shortSteps));

  progress(`${database}: ${searched} chains are archived`);
  const [pattern] = segmentsOf(tiny, 'tiny');
  if (pattern === undefined) throw new Error('The tiny chain has no run.');
  await fillArchive(store, pattern, searched);
  return [
    rowOf('read', { ...read, bytes: pages }),
    rowOf('first-20', { ...first, bytes: null }),
    rowOf('disk-per-100-steps', { ms: null, cpuMs: null, bytes: disk }),
    rowOf('search', { ...(await slowestSearch({ store, client, progress }, searched, repeats)), bytes: null }),
  ];
}

/** Makes what the archive takes of all runs of a chain, under another id. */
function segmentsOf({ runs }: RecordedChain, chainId: string): readonly Segment[] {
  let before: Chain | undefined;
  return runs.flatMap((run: ChainRun) => {
    const headBefore = before?.state.head ?? '';
    const { chain } = foldRecordedTurns(run.turns, before, computeSha256);
    const steps = chain.steps.slice(before?.steps.length ?? 0);
    before = chain;
    return toSegment({ namespace, server: null, chainId, run, chain: { ...chain, steps }, headBefore }) ?? [];
  });
}

/** A search is as fast as its slowest kind. */
async function slowestSearch({ store, progress }: Measured, chains: number, repeats: Repeats): Promise<Time> {
  let slowest: Time = { ms: 0, cpuMs: 0 };
  for (const [by, query] of Object.entries(searchesIn(chains))) {
    const found = (await queryArchive(store, { namespace, ...query })).chains.length;
    if (found === 0) throw new Error(`The search by ${by} finds nothing on ${store.kind}.`);
    const time = await timeRepeatedly(repeats, () => queryArchive(store, { namespace, ...query }));
    progress(`${store.kind}, by ${by}: ${time.ms} ms, ${found} found`);
    if (time.ms > slowest.ms) slowest = time;
  }
  return slowest;
}

async function timeRepeatedly(repeats: Repeats, work: () => Promise<unknown>): Promise<Time> {
  return medianTime((await takeTurns(['work'], repeats, () => timeWork(work))).get('work') ?? []);
}

/** What the pages of all runs hold, compressed. */
async function pageBytes({ db }: Store): Promise<number> {
  const { bytes } = await db
    .selectFrom('archive_runs')
    .select((it) => it.fn.sum<number>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Indexes, search words and all. */
async function bytesOnDisk({ db, kind }: Store): Promise<number> {
  const size =
    kind === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
      : sql<{
          bytes: number;
        }>`select (page_count - freelist_count) * page_size as bytes from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;
  return (await size.execute(db)).rows[0]?.bytes ?? 0;
}
