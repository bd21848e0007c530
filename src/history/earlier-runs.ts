/**
 * Reads a chain across all of its runs, from the archive or from the server, which deletes closed runs after their
 * retention. Each run names the one before it.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedRuns } from '../contract/archived-runs.js';
import { isNotFound } from '../contract/no-such-namespace.js';
import { isContinuation } from '../core/engine/continue-as-new.js';
import { type FoldedTurn, foldRecordedTurns } from '../core/engine/fold-turns.js';
import { LonghandError } from '../core/lib/errors.js';
import type { Chain } from '../core/model/chain.js';
import type { ChainRun } from '../core/record/chain-file.js';
import { type ClosedStatus, type HistoryEvent, interpretEvent } from './event.js';
import { computeSha256, emptyFold } from './fold.js';
import { type HistoryService, type Run, readForward } from './read-history.js';
import { buildRecordedRun, type RecordedRun } from './recorded-run.js';

export interface RunsSource {
  readonly history: HistoryService;
  readonly converter: LoadedDataConverter;
  /** Null without an archive. */
  readonly archived: ArchivedRuns | null;
}

/** A run is missing, while later runs of its chain exist. */
export class MissingRunError extends LonghandError {
  override readonly name = 'MissingRunError';

  constructor({ workflowId, runId }: Run) {
    super(
      'run_not_found',
      `Chain ${workflowId} continues run ${runId}, which is neither on the server nor in the archive. Set LONGHAND_STORE to the store that its workers archive to.`,
    );
  }
}

/** Returns the id of the run before, from the first event of a run; null for a chain's first. */
export async function findPreviousRunId(
  first: HistoryEvent | undefined,
  converter: LoadedDataConverter,
): Promise<string | null> {
  const meaning = await interpretEvent(first ?? {}, converter);
  return meaning.type === 'started' && isContinuation(meaning.input) ? meaning.input.runId : null;
}

/**
 * Returns the run `last` and all before it, oldest first; none for null.
 * @throws MissingRunError when a run is missing; the archive's error when it failed and the server lacks the run
 */
export async function readRunsUpTo(
  source: RunsSource,
  chainId: string,
  last: string | null,
): Promise<readonly RecordedRun[]> {
  const found: RunReader[] = [];
  for (let runId = last; runId !== null; runId = found.at(-1)?.previousRunId ?? null) {
    found.push(await openRun(source, { workflowId: chainId, runId }));
  }
  const runs: RecordedRun[] = [];
  for (const { read } of found.reverse()) runs.push(await read(runs.at(-1)?.chain ?? emptyFold.chain));
  return runs;
}

/** A run that was found. It is folded once the chain before it is known. */
interface RunReader {
  readonly previousRunId: string | null;
  readonly read: (before: Chain) => Promise<RecordedRun>;
}

/** Opens a run, from the archive first: that is faster. A failed archive does not prove that the run is missing. */
async function openRun(source: RunsSource, run: Run): Promise<RunReader> {
  const found = source.archived?.findRun(run.workflowId, run.runId);
  const archived = await found?.catch(() => null);
  if (archived) return openArchivedRun(archived);
  try {
    return await openServerRun(source, run);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Throws the archive's error.
    await found;
    throw new MissingRunError(run);
  }
}

function openArchivedRun(run: ChainRun): RunReader {
  const [first] = run.turns[0]?.facts ?? [];
  const read = async (before: Chain) => ({ run, ...foldRecordedTurns(run.turns, before, computeSha256) });
  return { previousRunId: first?.type === 'continued' ? first.runId : null, read };
}

async function openServerRun({ history, converter }: RunsSource, run: Run): Promise<RunReader> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward(history, run)) events.push(...page);
  const read = (before: Chain) => buildRecordedRun(events, converter, before, run.runId);
  return { previousRunId: await findPreviousRunId(events[0], converter), read };
}

export interface ChainHistory {
  readonly chain: Chain;
  readonly turns: readonly FoldedTurn[];
  /** Status of the last run. */
  readonly closed: ClosedStatus | null;
}

/** Reads a chain from its first run to the end of the given one. @param run an empty `runId` means the latest */
export async function readChainHistory(source: RunsSource, run: Run): Promise<ChainHistory> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward(source.history, run)) events.push(...page);
  const earlier = await readRunsUpTo(source, run.workflowId, await findPreviousRunId(events[0], source.converter));
  const last = await buildRecordedRun(events, source.converter, earlier.at(-1)?.chain);
  const turns = [...earlier, last].flatMap((each) => each.turns);
  return { chain: last.chain, turns, closed: last.run.closed };
}
