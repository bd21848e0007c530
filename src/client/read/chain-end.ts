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

import { fromContinuation, isContinuation, readPast } from '../../core/engine/continue-as-new.js';
import type { ActivityAttempts } from '../../core/model/activity.js';
import type { Chain } from '../../core/model/chain.js';
import { restorePast } from '../../core/view/restore-past.js';
import { computeViewReach, type RestoredChain, type ViewReach } from '../../core/view/view-reach.js';
import type { Viewer, VisibilityConfig } from '../../core/view/visibility.js';
import { ActivityLog } from '../../history/activity-log.js';
import { readRunsUpTo } from '../../history/earlier-runs.js';
import { findCloseTime, findNextRunId, type HistoryEvent, interpretEvent } from '../../history/event.js';
import { emptyFold, foldEvents, startFold } from '../../history/fold.js';
import { readAhead } from '../../history/read-ahead.js';
import { readForward } from '../../history/read-history.js';
import { type ChainSource, toRunsSource } from './chain-source.js';
import { type RecordedChain, readRecordedChain, toReasoning } from './recorded-chain.js';
import { addStartData } from './start-data.js';

/** A chain as far as it was read. */
export type ChainEnd = Pick<RecordedChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>;

/** More runs are read at once, from the first. */
const maxRuns = 2;

/** @param judge decides whether what was read is sufficient */
export async function readChainEnd(
  source: ChainSource,
  judge: (restored: RestoredChain, end: ChainEnd) => ViewReach,
): Promise<ChainEnd> {
  if (source.archivedChain !== null) return readRecordedChain(source);
  let runs: readonly (readonly HistoryEvent[])[] = [];
  for (let runId = source.runId; ; ) {
    const { service, namespace, chainId, converter } = source;
    const pages = readAhead(readForward({ service, namespace }, { workflowId: chainId, runId }));
    const meaning = await interpretEvent((await pages.first)?.[0] ?? {}, converter);
    const start = meaning.type === 'started' && isContinuation(meaning.input) ? meaning.input : null;
    const events: HistoryEvent[] = [];
    for await (const page of pages.read()) events.push(...page);
    // It continued as new since its id was read.
    if (runs.length === 0 && findNextRunId(events) !== null) return readRecordedChain(source);
    runs = [events, ...runs];
    if (start === null) return addData(await foldRuns(source, emptyFold.chain, runs), source, runs);
    const past = runs.length > maxRuns ? null : readPast(start);
    const restored = past === null ? null : restorePast(past, fromContinuation(start));
    const end = restored === null ? null : await foldRuns(source, restored, runs);
    if (past === null || restored === null || end === null) return readWhole(source, start.runId, runs);
    const kept = new Set(past.steps.map(({ number }) => number));
    const before = restored.state.steps;
    const reach = judge({ chain: end.chain, before, isCounted: (step) => step <= before && !kept.has(step) }, end);
    if (reach === 'enough') return end;
    if (reach === 'wholeChain') return readWhole(source, start.runId, runs);
    runId = start.runId;
  }
}

async function addData(end: ChainEnd, source: ChainSource, [events]: readonly (readonly HistoryEvent[])[]) {
  return { ...end, chain: await addStartData(end.chain, source, events?.[0]) };
}

/** Reads the runs up to this one, and folds the later ones onto them. */
async function readWhole(
  source: ChainSource,
  runId: string,
  later: readonly (readonly HistoryEvent[])[],
): Promise<ChainEnd> {
  const earlier = await readRunsUpTo(toRunsSource(source), source.chainId, runId);
  const attempts = earlier.flatMap(({ run }) => Object.entries(run.attempts));
  return foldRuns(source, earlier.at(-1)?.chain ?? emptyFold.chain, later, attempts);
}

async function foldRuns(
  { converter }: ChainSource,
  before: Chain,
  runs: readonly (readonly HistoryEvent[])[],
  earlier: readonly (readonly [string, ActivityAttempts])[] = [],
): Promise<ChainEnd> {
  const attempts = new Map(earlier);
  let fold = startFold(before);
  for (const events of runs) {
    fold = await foldEvents(startFold(fold.chain), events, converter);
    const log = new ActivityLog(converter);
    await log.addEvents(events);
    for (const [id, made] of log.attempts) attempts.set(id, made);
  }
  return { chain: fold.chain, closed: fold.closed, closedAt: findCloseTime(runs.at(-1) ?? []), attempts };
}

/** Reads what a view of these steps needs. */
export function readForView(
  source: ChainSource,
  range: { readonly from?: number | undefined; readonly last?: number | undefined },
  { viewer, config }: { readonly viewer: Viewer; readonly config: VisibilityConfig },
): Promise<ChainEnd> {
  return readChainEnd(source, (restored, end) => {
    const { steps } = restored.chain.state;
    const first = Math.max(range.from ?? 1, steps - (range.last ?? steps) + 1);
    return computeViewReach(restored, toReasoning(end), { viewer, config, first });
  });
}
