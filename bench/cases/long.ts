/**
 * Long chains, through all their runs: what a step takes at the beginning and at the end. A chain whose state or whose
 * history grew would slow down; one that continues as new in time should not. A step sends the conversation, whole until it fills
 * the model's window, so its time grows with it: with empty observations less, and with a small window only at first.
 */

import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../src/client/read/recorded-chain.js';
import type { RecordedChain } from '../../src/core/record/recorded-chain.js';
import type { Case, CaseOptions } from '../case.js';
import { between, type Range } from '../plausible.js';
import { promises } from '../promises.js';
import { median } from '../repeat.js';
import { listRuns, type WorkflowRun } from '../rig/runs.js';
import { taskOf } from '../rig/task.js';
import { longhandBytes, ratio } from './rounds.js';

interface LongSize {
  readonly steps: number;
  /** Steps of each row; `steps` is a multiple of it. */
  readonly stretch: number;
  readonly bytesPerStep: Range;
  /** The same for empty observations. */
  readonly bytesPerEmptyStep: Range;
  /** Most share by which a row may differ from the median; null without a bound. */
  readonly flatShare: number | null;
}

/** What the requests of a chain contain. */
type Conversation = 'whole' | 'without observations' | 'summarized';

const agents: readonly (readonly [Conversation, agent: string])[] = [
  ['whole', 'stock_taker'],
  ['without observations', 'empty_taker'],
  ['summarized', 'narrow_taker'],
];

export interface LongRow {
  readonly conversation: Conversation;
  /** The last step of the row. */
  readonly step: number;
  /** The run of the chain that took this step, from 1. */
  readonly run: number;
  /** Median time from one step to the next. */
  readonly msPerStep: number;
  /** Of all runs: the rows add up to the whole history. */
  readonly bytesPerStep: number;
}

export const long: Case<LongRow, LongSize> = {
  full: {
    ...{ steps: 3_000, stretch: 250, flatShare: promises.flatShare },
    ...{ bytesPerStep: longhandBytes.longRuns, bytesPerEmptyStep: between(2_000, 4_000) },
  },
  smoke: {
    ...{ steps: 45, stretch: 15, flatShare: null },
    ...{ bytesPerStep: longhandBytes.shortRuns, bytesPerEmptyStep: between(2_000, 8_000) },
  },
  measure: async (options, size) => {
    const rows: LongRow[] = [];
    for (const [conversation, agent] of agents) rows.push(...(await measureChain(options, size, agent, conversation)));
    return rows;
  },
  columns: [
    ['conversation', (row) => row.conversation],
    ['until step', (row) => String(row.step)],
    ['run', (row) => String(row.run)],
    ['ms/step', (row) => row.msPerStep.toFixed(1)],
    ['bytes/step', (row) => row.bytesPerStep.toFixed(0)],
  ],
  expected: ({ steps, stretch, bytesPerStep, bytesPerEmptyStep }) =>
    agents.flatMap(([conversation]) =>
      Array.from({ length: steps / stretch }, (_, nth) => {
        const step = (nth + 1) * stretch;
        const bytes = conversation === 'without observations' ? bytesPerEmptyStep : bytesPerStep;
        return { conversation, step, run: between(1, step), msPerStep: between(1, 60_000), bytesPerStep: bytes };
      }),
    ),
  contradictions: (rows) =>
    splitChains(rows).flatMap((chain) => {
      const [first, last] = [chain[0], chain.at(-1)];
      const continued = (last?.run ?? 1) > 1;
      const inOrder = chain.every(({ run }, at) => run >= (chain[at - 1]?.run ?? 1));
      return [
        ...(continued ? [] : ['A chain had a single run: nothing was measured of those that continue as new.']),
        ...(inOrder ? [] : [`The runs do not follow each other: from ${first?.run} to ${last?.run}.`]),
      ];
    }),
  misses: (rows, { flatShare }) => {
    if (flatShare === null) return [];
    return splitChains(rows).flatMap((chain) => {
      const which = describeChain(chain);
      const slope = computeSlopeShare(chain);
      return [
        ...measures.flatMap(([what, read]) => {
          const share = computeUnevenness(chain.map(read));
          return share <= flatShare
            ? []
            : [
                `${which}: the ${what} of a step differ by ${percent(share)}; at most ${percent(flatShare)} are allowed.`,
              ];
        }),
        ...(Math.abs(slope) <= promises.slopeShare
          ? []
          : [`${which}: the time of a step changes by ${percent(slope)} over 1,000 steps; required: none.`]),
      ];
    });
  },
  findings: (rows, { stretch }) =>
    splitChains(rows).flatMap((chain) => {
      const [first, last] = [chain[0], chain.at(-1)];
      if (!first || !last) return [];
      return [
        `${describeChain(chain)}: the last ${stretch} steps against the first: time per step ${ratio(last.msPerStep / first.msPerStep)}, ` +
          `bytes ${ratio(last.bytesPerStep / first.bytesPerStep)}, in run ${last.run}.`,
        `A row differs from the median by at most ${measures.map(([what, read]) => `${percent(computeUnevenness(chain.map(read)))} in ${what}`).join(' and ')}. ` +
          `The time of a step changes by ${percent(computeSlopeShare(chain))} over 1,000 steps.`,
      ];
    }),
};

async function measureChain(
  { rig: { longhand }, progress }: CaseOptions,
  { steps, stretch }: LongSize,
  agent: string,
  conversation: Conversation,
): Promise<readonly LongRow[]> {
  const handle = await longhand.start(agent, taskOf(steps - 1), {
    // The fake model counts the whole conversation in each step.
    limits: { steps: steps + 10, tokens: 100_000_000_000 },
  });
  const { success, reason } = await handle.result();
  if (!success) throw new Error(`The long chain did not complete: ${reason}`);
  const recorded = await readRecordedChain(await resolveChainSource(longhand.client, handle.chainId));
  progress(`${steps} steps, conversation ${conversation}, in ${recorded.runs.length} runs`);
  const grown = growth(recorded, await listRuns(longhand.client, handle.chainId));
  return Array.from({ length: steps / stretch }, (_, nth): LongRow => {
    const [after, last] = [nth * stretch, (nth + 1) * stretch];
    const within = grown.filter(({ step }) => step > after && step <= last);
    const starts = recorded.chain.steps.slice(after, last).map(({ startedAt }) => startedAt);
    return {
      conversation,
      step: last,
      run: within.at(-1)?.run ?? 0,
      msPerStep: median(starts.slice(1).map((start, at) => start - (starts[at] ?? start))),
      bytesPerStep: Math.round(within.reduce((sum, { bytes }) => sum + bytes, 0) / stretch),
    };
  });
}

/** Splits the rows by chain. */
function splitChains(rows: readonly LongRow[]): readonly (readonly LongRow[])[] {
  return agents
    .map(([conversation]) => rows.filter((row) => row.conversation === conversation))
    .filter(({ length }) => length > 0);
}

function describeChain([row]: readonly LongRow[]): string {
  return `Conversation ${row?.conversation}`;
}

const measures = [
  ['bytes', (row: LongRow) => row.bytesPerStep],
  ['milliseconds', (row: LongRow) => row.msPerStep],
] as const;

/** The largest difference from the median, as a share of it. */
function computeUnevenness(values: readonly number[]): number {
  const middle = median(values);
  return Math.max(...values.map((value) => Math.abs(value / middle - 1)));
}

/** The slope of the rows' times over 1,000 steps, as a share of their median: the median of the slopes between all pairs. */
function computeSlopeShare(rows: readonly LongRow[]): number {
  const slopes = rows.flatMap((row, at) =>
    rows.slice(at + 1).map((later) => (later.msPerStep - row.msPerStep) / (later.step - row.step)),
  );
  return (1_000 * median(slopes)) / median(rows.map(({ msPerStep }) => msPerStep));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

interface Growth {
  /** The step that the bytes belong to. */
  readonly step: number;
  readonly run: number;
  readonly bytes: number;
}

/** What each turn added to the history of its run, up to its last event. What comes before the first reply is part of step 1. */
function growth({ runs, turns }: RecordedChain, sizes: readonly WorkflowRun[]): readonly Growth[] {
  let from = 0;
  return runs.flatMap((run, nth) => {
    const own = turns.slice(from, from + run.turns.length);
    from += run.turns.length;
    return own.map(({ state, history }, at) => {
      const before = own[at - 1]?.history.bytes ?? 0;
      const end = at === own.length - 1 ? (sizes[nth]?.bytes ?? Number.NaN) : history.bytes;
      return { step: Math.max(1, state.steps), run: nth + 1, bytes: end - before };
    });
  });
}
