/**
 * Reads a chain across all of its runs, from the archive or from the server, which deletes closed runs after their
 * retention. Each run names the one before it.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import { type ArchivedRuns, isNotFound } from '../contract/index.js';
import { type FoldedTurn, foldRecordedTurns, isContinuation } from '../core/engine/index.js';
import type { Chain } from '../core/model/index.js';
import type { ChainRun } from '../core/record/index.js';
import { type ClosedStatus, type HistoryEvent, interpretEvent } from './event.js';
import { computeSha256, emptyFold } from './fold.js';
import { MissingRunError } from './missing-run-error.js';
import { readAhead } from './read-ahead.js';
import { type HistoryService, type RunReference, readForward } from './read-history.js';
import { buildRecordedRun, type RecordedRun } from './recorded-run.js';

export interface RunsSource {
  readonly history: HistoryService;
  readonly converter: LoadedDataConverter;
  /** Null without an archive. */
  readonly archived: ArchivedRuns | null;
}

/** Returns the id of the run before, from the first event of a run; null for a chain's first. */
export async function findPreviousRunId(
  first: HistoryEvent | undefined,
  converter: LoadedDataConverter,
): Promise<string | null> {
  const meaning = await interpretEvent(first ?? {}, converter);
  return meaning.type === 'started' && isContinuation(meaning.input) ? meaning.input.runId : null;
}

/** How earlier runs are read: all at once and to their end, or page by page while somebody takes pages. */
export type RunReading = 'ahead' | 'onDemand';

/** A run before the latest, which was found. */
export type EarlierRun = { readonly runId: string; readonly previousRunId: string | null } & (
  | { readonly kind: 'archived'; readonly run: ChainRun }
  | {
      readonly kind: 'onServer';
      /** Oldest events first. Call once. */
      readonly readPages: () => AsyncIterable<readonly HistoryEvent[]>;
      /** Requests no more pages. */
      readonly stop: () => void;
    }
);

/**
 * Finds the run `last` and all before it, oldest first; none for null. Their pages arrive while earlier runs are found.
 *
 * @throws MissingRunError when a run is missing; the archive's error when it failed and the server lacks the run
 */
export async function openRunsUpTo(
  source: RunsSource,
  chainId: string,
  last: string | null,
  reading: RunReading,
): Promise<readonly EarlierRun[]> {
  const earlierRuns: EarlierRun[] = [];
  try {
    for (let runId = last; runId !== null; runId = earlierRuns.at(-1)?.previousRunId ?? null) {
      earlierRuns.push(await openRun(source, { workflowId: chainId, runId }, reading));
    }
  } catch (error) {
    stopRuns(earlierRuns);
    throw error;
  }
  return earlierRuns.reverse();
}

export function stopRuns(runs: readonly EarlierRun[]): void {
  for (const run of runs) if (run.kind === 'onServer') run.stop();
}

/**
 * Returns the run `last` and all before it, oldest first; none for null.
 * @throws as `openRunsUpTo`
 */
export async function readRunsUpTo(
  source: RunsSource,
  chainId: string,
  last: string | null,
): Promise<readonly RecordedRun[]> {
  const opened = await openRunsUpTo(source, chainId, last, 'ahead');
  try {
    const runs: RecordedRun[] = [];
    for (const run of opened) runs.push(await readRun(run, source.converter, runs.at(-1)?.chain ?? emptyFold.chain));
    return runs;
  } finally {
    stopRuns(opened);
  }
}

async function readRun(opened: EarlierRun, converter: LoadedDataConverter, before: Chain): Promise<RecordedRun> {
  if (opened.kind === 'archived') {
    return { run: opened.run, ...foldRecordedTurns(opened.run.turns, before, computeSha256) };
  }
  return buildRecordedRun(await collectEvents(opened.readPages()), converter, before, opened.runId);
}

/**
 * Opens a run. What is read whole comes from the archive first: that is faster. A failed archive does not prove that the
 * run is missing.
 */
async function openRun(source: RunsSource, run: RunReference, reading: RunReading): Promise<EarlierRun> {
  const findArchived = () => source.archived?.findRun(run.workflowId, run.runId) ?? null;
  const lookup = reading === 'ahead' ? findArchived() : null;
  const archived = await lookup?.catch(() => null);
  if (archived) return openArchivedRun(archived);
  try {
    return await (reading === 'ahead' ? openServerRun(source, run) : openServerRunOnDemand(source, run));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Throws the archive's error.
    const late = await (lookup ?? findArchived());
    if (late) return openArchivedRun(late);
    throw new MissingRunError(run);
  }
}

function openArchivedRun(run: ChainRun): EarlierRun {
  const [first] = run.turns[0]?.facts ?? [];
  return { kind: 'archived', run, runId: run.runId, previousRunId: first?.type === 'continued' ? first.runId : null };
}

/** Returns when the first page names the run before; the other pages arrive in the meantime. */
async function openServerRun({ history, converter }: RunsSource, run: RunReference): Promise<EarlierRun> {
  const pages = readAhead(readForward(history, run));
  const previousRunId = await findPreviousRunId((await pages.first)?.[0], converter);
  return { kind: 'onServer', runId: run.runId, previousRunId, readPages: pages.read, stop: pages.stop };
}

/** Reads one event, which names the run before. */
async function openServerRunOnDemand({ history, converter }: RunsSource, run: RunReference): Promise<EarlierRun> {
  let previousRunId: string | null = null;
  for await (const [first] of readForward(history, run, 1)) {
    previousRunId = await findPreviousRunId(first, converter);
    break;
  }
  const readPages = () => readForward(history, run);
  return { kind: 'onServer', runId: run.runId, previousRunId, readPages, stop: () => {} };
}

async function collectEvents(pages: AsyncIterable<readonly HistoryEvent[]>): Promise<readonly HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of pages) events.push(...page);
  return events;
}

export interface RunWithEarlier {
  /** The run's events. */
  readonly events: readonly HistoryEvent[];
  /** The runs before it, oldest first. */
  readonly earlier: readonly RecordedRun[];
}

/** Reads a run's events and the runs before it, side by side. @param run an empty `runId` means the latest */
export async function readRunWithEarlier(source: RunsSource, run: RunReference): Promise<RunWithEarlier> {
  const pages = readAhead(readForward(source.history, run));
  try {
    const previous = await findPreviousRunId((await pages.first)?.[0], source.converter);
    const earlier = await readRunsUpTo(source, run.workflowId, previous);
    return { events: await collectEvents(pages.read()), earlier };
  } finally {
    pages.stop();
  }
}

export interface ChainHistory {
  readonly chain: Chain;
  readonly turns: readonly FoldedTurn[];
  /** Status of the last run. */
  readonly closed: ClosedStatus | null;
}

/** Reads a chain from its first run to the end of the given one. @param run an empty `runId` means the latest */
export async function readChainHistory(source: RunsSource, run: RunReference): Promise<ChainHistory> {
  const { events, earlier } = await readRunWithEarlier(source, run);
  const last = await buildRecordedRun(events, source.converter, earlier.at(-1)?.chain);
  const turns = [...earlier, last].flatMap((recordedRun) => recordedRun.turns);
  return { chain: last.chain, turns, closed: last.run.closed };
}
