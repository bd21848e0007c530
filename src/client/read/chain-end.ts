/**
 * Reads the end of a chain: its last run, from the state and the past at the run's start, and the run before where that is not
 * sufficient.
 *
 * 1. What the reader is given is the whole chain, in which steps before are only counted (core/view/restore-past.ts). Its
 *    caller decides whether that is sufficient (core/view/view-reach.ts).
 * 2. The state at the start of the run is trusted as its history's own: the facts before are not folded, so neither they nor
 *    the past are verified. All facts that are read continue from its head.
 * 3. An archived chain is read whole: an archive has facts, and no state at the start of a run.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import { type Continuation, fromContinuation, isContinuation, readPast } from '../../core/engine/index.js';
import type { Chain } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import {
  computeViewReach,
  type Reasoning,
  type RestoredChain,
  restorePast,
  toReasoning,
  type ViewReach,
  type ViewRules,
} from '../../core/view/index.js';
import {
  ActivityLog,
  emptyFold,
  findCloseTime,
  findNextRunId,
  foldEvents,
  type HistoryEvent,
  interpretEvent,
  readAhead,
  readForward,
  readRunsUpTo,
  startFold,
} from '../../history/index.js';
import { type ChainSource, toRunsSource } from './chain-source.js';
import { readRecordedChain } from './recorded-chain.js';
import { addStartData } from './start-data.js';

/** A chain as far as it was read. */
type ChainEnd = Pick<RecordedChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>;

/** Whether what was read is sufficient. Called for the start of a run alone, too: some readers need the whole chain. */
type JudgeReach = (restored: RestoredChain, end: ChainEnd) => ViewReach;

type Events = readonly HistoryEvent[];

/** More runs are read all at once. */
const maxRuns = 2;

/** Reads as few runs as its judge finds sufficient. @throws as `readRecordedChain` */
async function readChainEnd(source: ChainSource, judge: JudgeReach): Promise<ChainEnd> {
  if (source.archivedChain !== null) return readRecordedChain(source);
  const { service, namespace, chainId, converter } = source;
  let later: readonly Events[] = [];
  for (let runId = source.runId; ; ) {
    const pages = readAhead(readForward({ service, namespace }, { workflowId: chainId, runId }));
    try {
      const first = (await pages.first)?.[0];
      const start = await findContinuation(first, source);
      const opened = start === null ? null : openPast(start, later.length, judge);
      const before = opened === null ? await readBefore(source, start?.runId ?? null) : createEnd(opened.chain);
      const { end, events } = await foldRun(before, pages.read(), converter);
      // It continued as new since its id was read.
      if (later.length === 0 && findNextRunId(events) !== null) return await readRecordedChain(source);
      const whole = await foldRuns(end, later, converter);
      if (start === null || opened === null) return { ...whole, chain: await addStartData(whole.chain, source, first) };
      later = [events, ...later];
      const reach = judge({ ...opened, chain: whole.chain }, whole);
      if (reach === 'enough') return whole;
      if (reach === 'wholeChain') return await foldRuns(await readBefore(source, start.runId), later, converter);
      runId = start.runId;
    } finally {
      pages.stop();
    }
  }
}

async function findContinuation(first: HistoryEvent | undefined, { converter }: ChainSource) {
  const meaning = await interpretEvent(first ?? {}, converter);
  return meaning.type === 'started' && isContinuation(meaning.input) ? meaning.input : null;
}

/** Returns the chain at the start of a run; null where the runs before have to be read. */
function openPast(start: Continuation, runs: number, judge: JudgeReach): RestoredChain | null {
  const past = runs < maxRuns ? readPast(start) : null;
  if (past === null) return null;
  const chain = restorePast(past, fromContinuation(start));
  const before = chain.state.steps;
  const kept = new Set(past.steps.map(({ number }) => number));
  const restored = { chain, before, isCounted: (number: number) => number <= before && !kept.has(number) };
  return judge(restored, createEnd(chain)) === 'wholeChain' ? null : restored;
}

/** Reads the chain at the end of this run, from its first run. */
async function readBefore(source: ChainSource, runId: string | null): Promise<ChainEnd> {
  const earlier = await readRunsUpTo(toRunsSource(source), source.chainId, runId);
  const attempts = earlier.flatMap(({ run }) => Object.entries(run.attempts));
  return { ...createEnd(earlier.at(-1)?.chain ?? emptyFold.chain), attempts: new Map(attempts) };
}

function createEnd(chain: Chain): ChainEnd {
  return { chain, closed: null, closedAt: null, attempts: new Map() };
}

async function foldRuns(before: ChainEnd, runs: readonly Events[], converter: LoadedDataConverter): Promise<ChainEnd> {
  let end = before;
  for (const events of runs) ({ end } = await foldRun(end, [events], converter));
  return end;
}

/** Folds pages as they arrive. */
async function foldRun(
  before: ChainEnd,
  pages: Iterable<Events> | AsyncIterable<Events>,
  converter: LoadedDataConverter,
): Promise<{ readonly end: ChainEnd; readonly events: Events }> {
  const events: HistoryEvent[] = [];
  const log = new ActivityLog(converter);
  let fold = startFold(before.chain);
  for await (const page of pages) {
    events.push(...page);
    fold = await foldEvents(fold, page, converter);
    await log.addEvents(page);
  }
  const attempts = new Map([...before.attempts, ...log.attempts]);
  return { events, end: { chain: fold.chain, closed: fold.closed, closedAt: findCloseTime(events), attempts } };
}

/** The end of a chain, for a view. */
export interface ViewedEnd {
  readonly end: ChainEnd;
  /** Without what only sub-chains' own histories have. */
  readonly reasoning: Reasoning;
}

/** Steps to view: from a number on, or the last ones; 0 for the head of the view alone. */
export interface EndRange {
  readonly from?: number | undefined;
  readonly last?: number | undefined;
}

/** Reads what a view of these steps needs. The view of its reasoning is exact in them, and in all but the other steps. */
export async function readForView(source: ChainSource, range: EndRange, rules: ViewRules): Promise<ViewedEnd> {
  const judged: ViewedEnd[] = [];
  const end = await readChainEnd(source, (restored, read) => {
    const { steps } = restored.chain.state;
    const first = Math.max(range.from ?? 1, steps - (range.last ?? steps) + 1);
    const reasoning = toReasoning(read);
    judged.push({ end: read, reasoning });
    return computeViewReach(restored, reasoning, { ...rules, first });
  });
  const last = judged.at(-1);
  return last?.end === end ? last : { end, reasoning: toReasoning(end) };
}
