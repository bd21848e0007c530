/** The runs of a chain. One that continues as new has several, and what the chain took is the sum of them. */

import type { Client } from '@temporalio/client';
import type { HistoryEvent } from '../../src/history/event.js';
import { readForward } from '../../src/history/read-history.js';

export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
  /** Its history. */
  readonly bytes: number;
  readonly events: number;
}

/** Lists all runs of a workflow, the oldest first. */
export async function listRuns(client: Client, workflowId: string): Promise<readonly WorkflowRun[]> {
  const runs: WorkflowRun[] = [];
  for (let asked: string | null | undefined; asked !== null; asked = await runBefore(client, runs[0])) {
    const { runId, historySize, historyLength } = await client.workflow.getHandle(workflowId, asked).describe();
    if (historySize === undefined) throw new Error(`The server does not report the history size of run ${runId}.`);
    runs.unshift({ workflowId, runId, bytes: historySize, events: historyLength });
  }
  return runs;
}

/** The first event of a run names the run before. Null for a workflow's first run. */
async function runBefore({ workflowService, options }: Client, run: WorkflowRun | undefined): Promise<string | null> {
  if (run === undefined) return null;
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: { workflowId: run.workflowId, runId: run.runId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || null;
}

/** Reads the events of each run. */
export async function readRuns(
  { workflowService, options: { namespace } }: Client,
  runs: readonly WorkflowRun[],
): Promise<readonly (readonly HistoryEvent[])[]> {
  const histories: HistoryEvent[][] = [];
  for (const run of runs) {
    const events: HistoryEvent[] = [];
    for await (const page of readForward({ service: workflowService, namespace }, run)) events.push(...page);
    histories.push(events);
  }
  return histories;
}

export function sizeOf(runs: readonly WorkflowRun[]): Pick<WorkflowRun, 'bytes' | 'events'> {
  return {
    bytes: runs.reduce((sum, { bytes }) => sum + bytes, 0),
    events: runs.reduce((sum, { events }) => sum + events, 0),
  };
}
