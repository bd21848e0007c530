/**
 * The archive, on both databases: what it takes to read a chain of 1,000 steps back and to see its first 20, what 100 steps
 * take on disk, and how soon one chain is found among 10,000.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { followChain, pagesOf, readChain } from '../src/client/read/read-chain.js';
import { type Recorded, recordedOnServer } from '../src/client/read/recorded.js';
import { keptSource, type ReadingClient, sourceOf } from '../src/client/read/source.js';
import { refold } from '../src/core/engine/refold.js';
import type { Chain } from '../src/core/model/chain.js';
import type { ChainRun } from '../src/core/record/chain-file.js';
import { sha256 } from '../src/history/fold.js';
import { archivedRuns } from '../src/store/archive/archived-runs.js';
import { type ArchiveQuery, listArchived } from '../src/store/archive/list-chains.js';
import { putRun } from '../src/store/archive/put-run.js';
import { type Segment, segmentOf } from '../src/store/archive/segment.js';
import { openStore } from '../src/store/db/open.js';
import type { Store } from '../src/store/db/store.js';
import { startPostgres } from '../test/support/postgres.js';
import type { CaseOptions } from './case.js';
import { median } from './measure.js';
import { taskOf } from './task.js';

export interface StoreRow {
  readonly database: 'sqlite' | 'postgres';
  readonly what: 'read' | 'first-20' | 'disk-per-100-steps' | 'search';
  /** Of the slowest kind of search, where that is what was measured; null for what takes no time. */
  readonly ms: number | null;
  /** Of this process. */
  readonly cpuMs: number | null;
  readonly bytes: number | null;
}

const namespace = 'bench';
const longSteps = 1_000;
const shortSteps = 100;
const copies = 50;
const searched = 10_000;
const times = 15;
/** Until the engine has compiled what is measured: the work of its compiler, on other threads, counts as CPU time as well. */
const warmUp = 40;

export async function measureStore({ rig: { longhand }, say }: CaseOptions): Promise<readonly StoreRow[]> {
  const made = async (steps: number) => {
    say(`a chain of ${steps} steps is made`);
    const chain = await longhand.start('stock_taker', taskOf(steps - 1));
    await chain.result();
    return recordedOnServer(await sourceOf(longhand.client, chain.chainId));
  };
  const chains = { long: await made(longSteps), short: await made(shortSteps), tiny: await made(2) };
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-store-'));
  const postgres = await startPostgres();
  try {
    const rows: StoreRow[] = [];
    for (const where of [join(folder, 'store.db'), postgres.url]) {
      const store = await openStore(where);
      try {
        rows.push(...(await measureOne(store, chains, { client: longhand.client, say })));
      } finally {
        await store.close();
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
  readonly long: Recorded;
  readonly short: Recorded;
  readonly tiny: Recorded;
}

interface Measured {
  readonly client: ReadingClient;
  readonly say: CaseOptions['say'];
}

async function measureOne(store: Store, { long, short, tiny }: Chains, { client, say }: Measured): Promise<StoreRow[]> {
  const database = store.kind;
  const row = (what: StoreRow['what'], taken: Omit<StoreRow, 'database' | 'what'>): StoreRow => {
    say(`${database}, ${what}: ${taken.ms ?? '–'} ms, ${taken.cpuMs ?? '–'} ms of CPU, ${taken.bytes ?? '–'} bytes`);
    return { database, what, ...taken };
  };
  for (const segment of segmentsOf(long, 'long')) await putRun(store, segment);
  const stored = await pageBytes(store);
  const reader: ReadingClient = Object.assign(Object.create(client), { archived: archivedRuns(store, namespace) });
  const source = async () => {
    const kept = await keptSource(reader, 'long');
    if (kept === null) throw new Error('The chain is not in the archive.');
    return kept;
  };
  const read = await taken(async () => {
    const { chain } = await readChain(await source());
    if (chain.steps.length !== longSteps) throw new Error(`${chain.steps.length} steps were read.`);
  });
  const first = await taken(async () => {
    const from = await source();
    let steps = 0;
    for await (const told of followChain(from, {}, pagesOf(from, undefined))) {
      if ('entry' in told && told.entry.type === 'step') steps += 1;
      if (steps === 20) return;
    }
    throw new Error(`There were ${steps} steps.`);
  });

  const before = await bytesOf(store);
  for (let copy = 0; copy < copies; copy += 1) {
    for (const segment of segmentsOf(short, `short-${copy}`)) await putRun(store, segment);
  }
  const bytes = Math.round(((await bytesOf(store)) - before) / copies);

  say(`${database}: ${searched} chains are archived`);
  await many(store, tiny);
  return [
    row('read', { ...read, bytes: stored }),
    row('first-20', { ...first, bytes: null }),
    row('disk-per-100-steps', { ms: null, cpuMs: null, bytes }),
    row('search', { ...(await slowest(store, say)), bytes: null }),
  ];
}

/** All runs of a chain, as if it had another id. */
function segmentsOf({ runs }: Recorded, chainId: string): readonly Segment[] {
  let before: Chain | undefined;
  return runs.flatMap((run: ChainRun) => {
    const headBefore = before?.state.head ?? '';
    const { chain } = refold(run.turns, before, sha256);
    const steps = chain.steps.slice(before?.steps.length ?? 0);
    before = chain;
    return segmentOf({ namespace, chainId, run, chain: { ...chain, steps }, headBefore }) ?? [];
  });
}

const since = Date.UTC(2026, 0, 1);
const minute = 60_000;
const topics = ['invoice', 'refund', 'shipment', 'contract', 'complaint', 'forecast', 'audit', 'renewal'];

async function many(store: Store, tiny: Recorded): Promise<void> {
  const [pattern] = segmentsOf(tiny, 'tiny');
  if (pattern === undefined) throw new Error('The short chain has no run.');
  const put = async (nth: number) => {
    const startedAt = since + nth * minute;
    const glance = { ...pattern.glance, agent: `agent-${nth % 20}`, tenant: `tenant-${nth % 50}`, startedAt };
    const words = new Set([...pattern.words, topics[nth % topics.length] as string, `case${nth}`]);
    const run = { ...pattern.run, runId: `run-${nth}` };
    await putRun(store, { ...pattern, chainId: `chain-${nth}`, run, glance, words });
  };
  const atOnce = store.kind === 'postgres' ? 8 : 1;
  for (let nth = 0; nth < searched; nth += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, more) => put(nth + more)));
  }
}

const searches: Readonly<Record<string, Omit<ArchiveQuery, 'namespace'>>> = {
  agent: { agent: 'agent-7' },
  tenant: { tenant: 'tenant-31' },
  time: { since: since + 5_000 * minute, until: since + 5_060 * minute },
  'a word of one in eight': { text: 'refund' },
  'a word of one': { text: 'case4711' },
  all: { agent: 'agent-7', tenant: 'tenant-27', since, until: since + 9_000 * minute, text: 'complaint' },
};

/** A search is as fast as its slowest kind. */
async function slowest(store: Store, say: CaseOptions['say']): Promise<Taken> {
  let worst: Taken = { ms: 0, cpuMs: 0 };
  for (const [by, query] of Object.entries(searches)) {
    const found = await listArchived(store, { namespace, ...query });
    const took = await taken(() => listArchived(store, { namespace, ...query }));
    say(`${store.kind}, by ${by}: ${took.ms} ms, ${found.chains.length} found`);
    if (took.ms > worst.ms) worst = took;
  }
  return worst;
}

interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
}

async function taken(work: () => Promise<unknown>): Promise<Taken> {
  const runs: Taken[] = [];
  for (let time = 0; time < times + warmUp; time += 1) {
    const began = performance.now();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    if (time >= warmUp) runs.push({ ms: performance.now() - began, cpuMs: (user + system) / 1_000 });
  }
  const middle = (of: (run: Taken) => number) => Number(median(runs.map(of)).toFixed(1));
  return { ms: middle(({ ms }) => ms), cpuMs: middle(({ cpuMs }) => cpuMs) };
}

async function pageBytes({ db }: Store): Promise<number> {
  const { bytes } = await db
    .selectFrom('archive_runs')
    .select((it) => it.fn.sum<number>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Indexes, search words and all. */
async function bytesOf({ db, kind }: Store): Promise<number> {
  const size =
    kind === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
      : sql<{
          bytes: number;
        }>`select (page_count - freelist_count) * page_size as bytes from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;
  return (await size.execute(db)).rows[0]?.bytes ?? 0;
}

/** What the rows come to, for people. */
export function storeFindings(rows: readonly StoreRow[]): readonly string[] {
  return (['sqlite', 'postgres'] as const).flatMap((database) => {
    const find = (what: StoreRow['what']) => rows.find((row) => row.database === database && row.what === what);
    const [read, first, disk, search] = [find('read'), find('first-20'), find('disk-per-100-steps'), find('search')];
    if (!read || !first || !disk || !search) return [];
    return [
      `${database}: ${longSteps} steps are read with ${read.cpuMs} ms of CPU, the first 20 in ${first.ms} ms; 100 steps take ${Math.round((disk.bytes ?? 0) / 1_024)} KB on disk; the slowest search in ${searched} chains takes ${search.ms} ms.`,
    ];
  });
}
