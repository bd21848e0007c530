/** One run of a chain that has closed, from its history: on the chain as the runs before left it, or alone where they are gone. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedRuns } from '../contract/archived-runs.js';
import { workflowType } from '../contract/names.js';
import { toRunStartState } from '../contract/run-input.js';
import { isContinuation } from '../core/engine/continue-as-new.js';
import type { Chain } from '../core/model/chain.js';
import { emptyRecord } from '../core/state/entry.js';
import { readRunsUpTo } from './earlier-runs.js';
import { type HistoryEvent, interpretEvent } from './event.js';
import { type HistoryService, type Run, readForward } from './read-history.js';
import { buildRecordedRun, type RecordedRun } from './recorded-run.js';

export interface ClosedRunSource {
  readonly history: HistoryService;
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
}

export interface ClosedRunRecord extends RecordedRun {
  /** The chain as the run found it, without its steps where they are nowhere to be had; null for a chain's first run. */
  readonly before: Chain | null;
  /** What the runs before have found to be sensitive. */
  readonly hidden: readonly string[];
}

/**
 * Null for what is no run of a chain, or one in which none had begun.
 *
 * @throws what the server answers; why the archive failed, where it may hold a run before
 */
export async function readClosedRun(source: ClosedRunSource, run: Run): Promise<ClosedRunRecord | null> {
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

async function readChainUpTo(source: ClosedRunSource, { workflowId, runId }: Run, otherwise: Chain): Promise<Chain> {
  try {
    return (await readRunsUpTo(source, workflowId, runId)).at(-1)?.chain ?? otherwise;
  } catch (error) {
    // The run itself is there: what its chain said before is lost, and need not be lost with it.
    if (error instanceof Error && lostRunErrors.has(error.name)) return otherwise;
    throw error;
  }
}

/** A run before is nowhere, or in the archive without what was in it. By name: whoever keeps the archive throws the others. */
const lostRunErrors: ReadonlySet<string> = new Set(['MissingRunError', 'DamagedRunError', 'ErasedChainError']);
