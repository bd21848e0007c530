/** Resets a chain as an operator does: `temporal workflow reset --type FirstWorkflowTask`. */

import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { Longhand } from '../../src/index.js';

/** @param runId the run to reset; default: the latest one. @returns the id of the new run */
export async function resetToStart({ client }: Longhand, workflowId: string, runId?: string): Promise<string> {
  const base = runId ?? (await client.workflow.getHandle(workflowId).describe()).runId;
  const { events } = await client.workflow.getHandle(workflowId, base).fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
  const { runId: made } = await client.connection.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: base },
    reason: 'a test',
    workflowTaskFinishEventId: first?.eventId ?? null,
    requestId: randomUUID(),
  });
  return made ?? '';
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
