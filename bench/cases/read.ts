/**
 * Reading a chain back: what folding a history adds to fetching it, whether it grows with the length alone, and how soon
 * a follower knows what has happened. Everything is measured beside the server's bare calls.
 */

import { hash } from 'node:crypto';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { readForView } from '../../src/client/read/chain-end.js';
import { readChainPart, truncateAfterStep } from '../../src/client/read/chain-part.js';
import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readChain } from '../../src/client/read/read-chain.js';
import type { Chain } from '../../src/core/model/chain.js';
import { toReasoning } from '../../src/core/view/build-reasoning.js';
import { createViewer } from '../../src/core/view/visibility.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { emptyFold, foldEvents, startFold } from '../../src/history/fold.js';
import type { Case, CaseOptions } from '../case.js';
import { between, type Expected } from '../plausible.js';
import { promises } from '../promises.js';
import { medianTime, percentile, type Repeats, round, takeTurns, timeWork } from '../repeat.js';
import { cell } from '../report.js';
import { listRuns, readRuns } from '../rig/runs.js';
import { taskOf } from '../rig/task.js';
import { type DelaysSize, measureDelays } from './follow-delays.js';
import { ratio } from './rounds.js';
import { syntheticHistory } from './synthetic-history.js';

interface ReadSize {
  /** Of the chain that is made and read. */
  readonly steps: number;
  /** The step up to which a part of the chain is read. */
  readonly part: number;
  /** Warm-ups: a reader that lives as long as a console or a worker has its code compiled. */
  readonly repeats: Repeats;
  /** Lengths of histories that repeat the chain's steps, so many at a time. */
  readonly synthetic: { readonly lengths: readonly [short: number, long: number]; readonly stepsInRound: number };
  readonly delays: DelaysSize;
}

export interface ReadRow {
  readonly what:
    | 'fetch'
    | 'fold'
    | 'floor'
    | 'fetch+fold'
    | 'show-last'
    | 'view-last'
    | 'show-part'
    | 'follow'
    | 'raw-long-poll';
  readonly steps: number;
  /** Of this process, as `cpuMs` is; null where delays were measured. */
  readonly ms: number | null;
  readonly cpuMs: number | null;
  /** Milliseconds from the event's own time to its reader; null where reading was timed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

const converter = loadDataConverter();
const viewer = createViewer('developer');

export const read: Case<ReadRow, ReadSize> = {
  full: {
    steps: 1_000,
    part: 20,
    repeats: { times: 15, warmUp: 8 },
    synthetic: { lengths: [1_000, 10_000], stepsInRound: 100 },
    delays: { readers: 20, steps: 12 },
  },
  smoke: {
    steps: 30,
    part: 3,
    repeats: { times: 3, warmUp: 1 },
    synthetic: { lengths: [30, 300], stepsInRound: 10 },
    delays: { readers: 3, steps: 4 },
  },
  measure: async (options, size) => [
    ...(await measureRecorded(options, size)),
    await delayRow('raw-long-poll', options, size.delays),
    await delayRow('follow', options, size.delays),
  ],
  columns: [
    ['what', (row) => row.what],
    ['steps', (row) => String(row.steps)],
    ['ms', (row) => cell(row.ms, 1)],
    ['CPU ms', (row) => cell(row.cpuMs, 1)],
    ['p50 ms', (row) => cell(row.p50Ms, 1)],
    ['p99 ms', (row) => cell(row.p99Ms, 1)],
  ],
  expected: ({ steps, synthetic, delays }) => {
    const timed = (what: ReadRow['what'], of: number): Expected<ReadRow> => ({
      ...{ what, steps: of, p50Ms: null, p99Ms: null },
      ...{ ms: between(0.1, 600_000), cpuMs: between(0.1, 600_000) },
    });
    const delayed = (what: ReadRow['what']): Expected<ReadRow> => ({
      ...{ what, steps: delays.steps, ms: null, cpuMs: null },
      ...{ p50Ms: between(0, 10_000), p99Ms: between(0.1, 60_000) },
    });
    return [
      timed('fold', steps),
      timed('floor', steps),
      ...(['fetch', 'fetch+fold', 'show-last', 'view-last', 'show-part'] as const).map((what) => timed(what, steps)),
      ...synthetic.lengths.map((length) => timed('fold', length)),
      delayed('raw-long-poll'),
      delayed('follow'),
    ];
  },
  contradictions: (rows) =>
    rows.flatMap(({ what, p50Ms, p99Ms }) =>
      (p50Ms ?? 0) <= (p99Ms ?? 0) ? [] : [`${what}: p50 is ${p50Ms} ms, above p99, ${p99Ms} ms.`],
    ),
  misses: (rows, { steps }) => {
    const whole = measureWhole(rows);
    if (steps < boundedSteps || whole === null) return [];
    const { foldCpuMs, foldOfFloor, readMs, lastMs, ofFetching } = whole;
    return [
      ...(foldOfFloor <= promises.foldOfFloor
        ? []
        : [`Folding takes ${ratio(foldOfFloor)} the CPU of the floor; required: ${ratio(promises.foldOfFloor)}.`]),
      ...(foldCpuMs <= promises.foldCpuMs
        ? []
        : [`Folding ${steps} steps takes ${foldCpuMs} ms of CPU; required: ${promises.foldCpuMs} ms.`]),
      ...(readMs <= promises.readMs
        ? []
        : [`Reading ${steps} steps takes ${readMs} ms; required: ${promises.readMs} ms.`]),
      ...(lastMs <= promises.readLastMs
        ? []
        : [`Reading the last 20 steps takes ${lastMs} ms; required: ${promises.readLastMs} ms.`]),
      ...(ofFetching <= promises.readOfFetching
        ? []
        : [`Reading takes ${ratio(ofFetching)} the time of fetching; required: ${ratio(promises.readOfFetching)}.`]),
    ];
  },
  findings: (rows, { steps, part, synthetic: { lengths } }) => {
    const find = (what: ReadRow['what'], nth = 0) => rows.filter((row) => row.what === what)[nth];
    const whole = measureWhole(rows);
    const begun = find('show-part');
    const [short, long] = [find('fold', 1), find('fold', 2)];
    const [followed, raw] = [find('follow'), find('raw-long-poll')];
    if (whole === null || !begun?.ms || !short?.cpuMs || !long?.cpuMs || !followed || !raw) return [];
    const { foldCpuMs, foldOfFloor, readMs, lastMs, ofFetching } = whole;
    return [
      `Folding ${steps} steps takes ${foldCpuMs} ms of CPU${judge(steps, foldCpuMs, promises.foldCpuMs)}, ${ratio(foldOfFloor)} that of the floor${judge(steps, foldOfFloor, promises.foldOfFloor)}: decoding, parsing, writing and hashing the same payloads.`,
      `Reading them takes ${readMs} ms${judge(steps, readMs, promises.readMs)}, ${ratio(ofFetching)} the time of fetching${judge(steps, ofFetching, promises.readOfFetching)}.`,
      `Reading the last 20 of them takes ${lastMs} ms${judge(steps, lastMs, promises.readLastMs)}.`,
      `Step ${part} of them is read in ${ratio(begun.ms / readMs)} the time of the whole.`,
      `${lengths[1] / lengths[0]} times the steps take ${ratio(long.cpuMs / short.cpuMs)} the CPU to fold.`,
      `From event to follower: p50 ${followed.p50Ms} ms, p99 ${followed.p99Ms} ms; to a bare long poll: ${raw.p50Ms} and ${raw.p99Ms} ms.`,
    ];
  },
};

/** What the promises are about; null where a measurement failed. */
function measureWhole(rows: readonly ReadRow[]) {
  const find = (what: ReadRow['what']) => rows.find((row) => row.what === what);
  const [fetch, fold, floor, both] = [find('fetch'), find('fold'), find('floor'), find('fetch+fold')];
  const last = find('show-last');
  if (!fetch?.ms || !fold?.cpuMs || !floor?.cpuMs || !both?.ms || !last?.ms) return null;
  return {
    foldCpuMs: fold.cpuMs,
    foldOfFloor: fold.cpuMs / floor.cpuMs,
    readMs: both.ms,
    lastMs: last.ms,
    ofFetching: both.ms / fetch.ms,
  };
}

/** Steps of the chain that the promises are about. */
const boundedSteps = 1_000;

/** Returns nothing for a short chain, whose reading is mostly the start of requests. */
function judge(steps: number, measured: number, most: number): string {
  return steps < boundedSteps ? '' : ` (at most ${most}: ${measured <= most ? 'kept' : 'exceeded'})`;
}

async function measureRecorded(
  { rig: { longhand }, progress }: CaseOptions,
  { steps, part, repeats, synthetic }: ReadSize,
): Promise<readonly ReadRow[]> {
  progress(`a chain of ${steps} steps is made`);
  const { client } = longhand;
  const handle = await longhand.start('stock_taker', taskOf(steps - 1), { chainId: 'to-be-read' });
  await handle.result();
  const source = await resolveChainSource(client, handle.chainId);
  const runs = await listRuns(client, handle.chainId);
  const histories = await readRuns(client, runs);
  checkWhole(await foldRuns(histories), steps);

  const payloads = histories.flat().flatMap(listPayloads);

  const measure = async (of: number, works: Works) => {
    const rows = await timeRows(of, works, repeats);
    for (const { what, ms, cpuMs } of rows) progress(`${what}, ${of} steps: ${ms} ms, ${cpuMs} ms of CPU`);
    return rows;
  };
  const rows = [
    ...(await measure(steps, {
      fold: () => foldRuns(histories),
      floor: async () => workThroughPayloads(payloads),
    })),
    ...(await measure(steps, {
      fetch: () => readRuns(client, runs),
      'fetch+fold': () => readChain(source),
      'show-last': async () =>
        (await readForView(source, { last: 20 }, { viewer, config: {} })).reasoning.steps.slice(-20),
      'view-last': () => handle.view(viewer, {}, { last: 20 }),
      'show-part': async () => toReasoning(truncateAfterStep(await readChainPart(source, part), part)),
    })),
  ];
  for (const length of synthetic.lengths) {
    const history = syntheticHistory(histories[0] ?? [], { steps: length, stepsInRound: synthetic.stepsInRound });
    checkWhole(await foldRuns([history]), length);
    rows.push(...(await measure(length, { fold: () => foldRuns([history]) })));
  }
  return rows;
}

/** The runs of one chain, each onto what those before led to. */
async function foldRuns(histories: readonly (readonly HistoryEvent[])[]): Promise<Chain> {
  let { chain } = emptyFold;
  for (const events of histories) ({ chain } = await foldEvents(startFold(chain), events, converter));
  return chain;
}

/** The bytes of an event that a fold decodes: results of activities, and the input of a run. */
function listPayloads(event: HistoryEvent): readonly Uint8Array[] {
  const { workflowExecutionStartedEventAttributes: started, activityTaskCompletedEventAttributes: completed } = event;
  return [...(started?.input?.payloads ?? []), ...(completed?.result?.payloads ?? [])].flatMap(
    ({ data }) => data ?? [],
  );
}

/** The least that a reader of facts does, by the functions of the engine alone: decode, parse, write, hash. */
function workThroughPayloads(payloads: readonly Uint8Array[]): void {
  for (const { buffer, byteOffset, byteLength } of payloads) {
    const value: unknown = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
    hash('sha256', JSON.stringify(value), 'hex');
  }
}

/** A fold that stops early, or reuses results, is quick for the wrong reason. */
function checkWhole({ steps }: Chain, expected: number): void {
  const reused = steps.filter(({ calls }) => calls[0]?.status === 'reused').length;
  if (steps.length >= expected && reused === 0) return;
  throw new Error(
    `The history folds to ${steps.length} steps, ${reused} of them reused; expected ${expected} new ones.`,
  );
}

type Works = { readonly [what in ReadRow['what']]?: () => Promise<unknown> };

async function timeRows(steps: number, works: Works, repeats: Repeats): Promise<readonly ReadRow[]> {
  const work = new Map(Object.entries(works) as [ReadRow['what'], () => Promise<unknown>][]);
  const times = await takeTurns([...work.keys()], repeats, (what) => timeWork(async () => work.get(what)?.()));
  return [...times].map(([what, taken]) => ({
    what,
    steps,
    ...medianTime(taken),
    p50Ms: null,
    p99Ms: null,
  }));
}

async function delayRow(
  what: 'follow' | 'raw-long-poll',
  { rig: { longhand }, progress }: CaseOptions,
  size: DelaysSize,
): Promise<ReadRow> {
  progress(`${size.readers} chains are read while they run: ${what}`);
  const delays = await measureDelays(what, longhand, size);
  const at = (share: number) => round(percentile(delays, share), 1);
  return { what, steps: size.steps, ms: null, cpuMs: null, p50Ms: at(0.5), p99Ms: at(0.99) };
}
