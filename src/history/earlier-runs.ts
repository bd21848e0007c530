/**
 * A chain over all of its runs, wherever they are: in the archive, or on the server, which deletes them some time after
 * they closed. Each run names the one before it.
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
  /** Null where there is none. */
  readonly archived: ArchivedRuns | null;
}

/** What was said in a run is gone, while the chain it belongs to is there. */
export class MissingRunError extends LonghandError {
  override readonly name = 'MissingRunError';

  constructor({ workflowId, runId }: Run) {
    super(
      'run_not_found',
      `Chain ${workflowId} goes on from run ${runId}, which the server has no more, and the archive has not. Look at it with the store that its workers archive to (LONGHAND_STORE).`,
    );
  }
}

/** Id of the run before, by the first event of a run; null for a chain's first. */
export async function findPreviousRunId(
  first: HistoryEvent | undefined,
  converter: LoadedDataConverter,
): Promise<string | null> {
  const meaning = await interpretEvent(first ?? {}, converter);
  return meaning.type === 'started' && isContinuation(meaning.input) ? meaning.input.runId : null;
}

/**
 * The run `last` and all before it, the oldest first. None for null.
 *
 * @throws MissingRunError when one is nowhere; why the archive failed where the server has it no more
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

/** A run that was found. It is folded once the chain that it goes on from is known. */
interface RunReader {
  readonly previousRunId: string | null;
  readonly read: (before: Chain) => Promise<RecordedRun>;
}

/** In the archive first: it is nearer, and has read the history already. One that fails has not said that the run is nowhere. */
async function openRun(source: RunsSource, run: Run): Promise<RunReader> {
  const asked = source.archived?.findRun(run.workflowId, run.runId);
  const archived = await asked?.catch(() => null);
  if (archived) return openArchivedRun(archived);
  try {
    return await openServerRun(source, run);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Throws why it failed.
    await asked;
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
  /** Of the run itself. */
  readonly closed: ClosedStatus | null;
}

/**
 * Reads a chain from its first run to the end of the given one.
 *
 * @param run its `runId` may be empty: the latest
 */
export async function readChainHistory(source: RunsSource, run: Run): Promise<ChainHistory> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward(source.history, run)) events.push(...page);
  const earlier = await readRunsUpTo(source, run.workflowId, await findPreviousRunId(events[0], source.converter));
  const last = await buildRecordedRun(events, source.converter, earlier.at(-1)?.chain);
  const turns = [...earlier, last].flatMap((each) => each.turns);
  return { chain: last.chain, turns, closed: last.run.closed };
}
