/** Reads one closed run of a chain from its history, based on the runs before; alone if they are gone. */

import type { LoadedDataConverter } from '@temporalio/common';
import { type ArchivedRuns, toRunStartState, workflowType } from '../contract/index.js';
import { emptyRecord, isContinuation } from '../core/engine/index.js';
import type { Chain } from '../core/model/index.js';
import { readRunsUpTo } from './earlier-runs.js';
import { type HistoryEvent, interpretEvent } from './event.js';
import { type HistoryService, type RunReference, readForward } from './read-history.js';
import { buildRecordedRun, type RecordedRun } from './recorded-run.js';

export interface ClosedRunSource {
  readonly history: HistoryService;
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
}

export interface ClosedRunRecord extends RecordedRun {
  /** The chain before the run, without its steps if they are gone; null for a chain's first run. */
  readonly before: Chain | null;
  /** Sensitive values found in the runs before. */
  readonly hidden: readonly string[];
}

/**
 * Returns null for a workflow that is not a chain, and for a run without a start.
 * @throws what the server answers; the archive's error if it may contain a run before
 */
export async function readClosedRun(source: ClosedRunSource, run: RunReference): Promise<ClosedRunRecord | null> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward(source.history, run)) events.push(...page);
  const type = events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  if (type !== workflowType) return null;
  const meaning = await interpretEvent(events[0] ?? {}, source.converter);
  if (meaning.type !== 'started') return null;
  const { state, previousRunId } = toRunStartState(meaning.input, run.workflowId);
  const alone = { ...emptyRecord, state };
  const before = previousRunId === null ? null : await readChainUpTo(source, { ...run, runId: previousRunId }, alone);
  const recorded = await buildRecordedRun(events, source.converter, before ?? undefined, run.runId);
  if (recorded.chain.state.input === null) return null;
  return { ...recorded, before, hidden: isContinuation(meaning.input) ? meaning.input.display.hidden : [] };
}

async function readChainUpTo(
  source: ClosedRunSource,
  { workflowId, runId }: RunReference,
  otherwise: Chain,
): Promise<Chain> {
  try {
    return (await readRunsUpTo(source, workflowId, runId)).at(-1)?.chain ?? otherwise;
  } catch (error) {
    // Lost earlier runs must not prevent archiving of this one.
    if (error instanceof Error && lostRunErrors.has(error.name)) return otherwise;
    throw error;
  }
}

/** An earlier run is missing, or archived without content. By name: the store defines the other two. */
const lostRunErrors: ReadonlySet<string> = new Set(['MissingRunError', 'DamagedRunError', 'ErasedChainError']);
