/** Resets and deletes runs as an operator does: `temporal workflow reset`, `temporal workflow delete`. */

import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { Longhand } from '../../src/entries/client.js';
import type { HistoryEvent } from '../../src/history/event.js';

/** @param runId the run to reset; default: the latest one. @returns the id of the new run */
export async function resetToStart(longhand: Longhand, workflowId: string, runId?: string): Promise<string> {
  const { workflow } = longhand.client;
  const base = runId ?? (await workflow.getHandle(workflowId).describe()).runId;
  const { events } = await workflow.getHandle(workflowId, base).fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
  return resetToTask(longhand, { workflowId, runId: base }, first?.eventId);
}

/** Resets a run to the workflow task that completed at this event. @returns the id of the new run */
export async function resetToTask(
  { client }: Longhand,
  workflowExecution: { readonly workflowId: string; readonly runId: string },
  completedAt: HistoryEvent['eventId'],
): Promise<string> {
  const { runId } = await client.connection.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution,
    reason: 'a test',
    workflowTaskFinishEventId: completedAt ?? null,
    requestId: randomUUID(),
  });
  return runId ?? '';
}

/** Deletes a closed run, as the server does after its retention, and waits until it is gone. */
export async function deleteRun({ client }: Longhand, workflowId: string, runId: string): Promise<void> {
  const { namespace } = client.options;
  await client.connection.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
  });
  const isGone = () =>
    client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => false,
        () => true,
      );
  await vi.waitUntil(isGone, { timeout: 180_000, interval: 50 });
}
