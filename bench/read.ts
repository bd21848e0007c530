/**
 * Reading a chain back: what folding a history adds to fetching it, whether it grows with the length alone, and how soon
 * a follower is told of what has happened. Everything is measured beside the bare calls of the server in the same run.
 */

import { performance } from 'node:perf_hooks';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { readChain } from '../src/client/read/read-chain.js';
import { reasoningOf, recordedOnServer } from '../src/client/read/recorded.js';
import { type ChainSource, sourceOf } from '../src/client/read/source.js';
import type { HistoryEvent } from '../src/history/event.js';
import { emptyFold, foldEvents } from '../src/history/fold.js';
import { readForward } from '../src/history/read.js';
import type { CaseOptions } from './case.js';
import { type Delays, followDelays, rawDelays } from './follow-delays.js';
import { syntheticHistory } from './synthetic-history.js';
import { taskOf } from './task.js';

export interface ReadRow {
  readonly what: 'fetch' | 'fold' | 'fetch+fold' | 'show-last' | 'follow' | 'raw-long-poll';
  readonly steps: number;
  /** Of this process, as `cpuMs` is; null where delays are what was measured. */
  readonly ms: number | null;
  readonly cpuMs: number | null;
  /** Milliseconds from the event's own time to its reader. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

const steps = 1_000;
/** Odd, so that one of them is the middle. */
const times = 15;
/** Runs that are the compiler's: a reader that lives as long as a console or a worker has had them. */
const warmUp = 8;
const converter = loadDataConverter();

export async function measureRead({ rig: { longhand }, say }: CaseOptions): Promise<readonly ReadRow[]> {
  say(`a chain of ${steps} steps is made`);
  const made = await longhand.start('stock_taker', taskOf(steps - 1), { chainId: 'to-be-read' });
  await made.result();
  const source = await sourceOf(longhand.client, made.chainId);
  const events = await fetched(source);

  const rows: ReadRow[] = [];
  const add = async (of: number, works: Works) => {
    for (const row of await medians(of, works)) {
      say(`${row.what}, ${of} steps: ${row.ms} ms, ${row.cpuMs} ms of CPU`);
      rows.push(row);
    }
  };
  await add(steps, { fold: () => foldEvents(emptyFold, events, converter) });
  await add(steps, {
    fetch: () => fetched(source),
    'fetch+fold': () => readChain(source),
    'show-last': async () => reasoningOf(await recordedOnServer(source)).steps.slice(-20),
  });
  for (const of of [1_000, 10_000]) {
    const history = syntheticHistory(events, of);
    const { chain } = await foldEvents(emptyFold, history, converter);
    const whole = chain.steps.length >= of && chain.steps.every(({ calls }) => calls[0]?.status !== 'reused');
    if (!whole) throw new Error(`The synthetic history folds to ${chain.steps.length} steps.`);
    await add(of, { fold: () => foldEvents(emptyFold, history, converter) });
  }
  rows.push(delayRow('raw-long-poll', await rawDelays(longhand, say)));
  rows.push(delayRow('follow', await followDelays(longhand, say)));
  return rows;
}

async function fetched({ service, namespace, chainId, runId }: ChainSource): Promise<readonly HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) events.push(...page);
  return events;
}

type Works = { readonly [what in ReadRow['what']]?: () => Promise<unknown> };

/** In turns, so that what else the machine does falls on all of them alike. */
async function medians(of: number, works: Works): Promise<readonly ReadRow[]> {
  const taken = new Map<string, { readonly ms: number; readonly cpuMs: number }[]>();
  for (let time = 0; time < times + warmUp; time += 1) {
    for (const [what, work] of Object.entries(works)) {
      const began = performance.now();
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      const run = { ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
      if (time >= warmUp) taken.set(what, [...(taken.get(what) ?? []), run]);
    }
  }
  const middle = (numbers: readonly number[]) => rounded([...numbers].sort((a, b) => a - b)[times >> 1] ?? 0);
  return [...taken].map(([what, runs]) => ({
    what: what as ReadRow['what'],
    steps: of,
    ms: middle(runs.map((each) => each.ms)),
    cpuMs: middle(runs.map((each) => each.cpuMs)),
    p50Ms: null,
    p99Ms: null,
  }));
}

function delayRow(what: ReadRow['what'], { steps: of, delays }: Delays): ReadRow {
  const sorted = [...delays].sort((a, b) => a - b);
  const at = (share: number) => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { what, steps: of, ms: null, cpuMs: null, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}

/** What the rows come to, for people. */
export function readFindings(rows: readonly ReadRow[]): readonly string[] {
  const find = (what: ReadRow['what'], nth = 0) => rows.filter((row) => row.what === what)[nth];
  const [fetch, fold, both] = [find('fetch'), find('fold'), find('fetch+fold')];
  const [short, long] = [find('fold', 1), find('fold', 2)];
  const [followed, raw] = [find('follow'), find('raw-long-poll')];
  if (!fetch?.ms || !fold || !both?.ms || !short?.cpuMs || !long?.cpuMs || !followed || !raw) return [];
  return [
    `Folding 1,000 steps takes ${fold.cpuMs} ms of CPU; reading them adds ${((both.ms / fetch.ms - 1) * 100).toFixed(0)} % to fetching.`,
    `Ten times the steps take × ${(long.cpuMs / short.cpuMs).toFixed(1)} the CPU to fold.`,
    `From event to follower: p50 ${followed.p50Ms} ms, p99 ${followed.p99Ms} ms; to a bare long poll: ${raw.p50Ms} and ${raw.p99Ms} ms.`,
  ];
}
