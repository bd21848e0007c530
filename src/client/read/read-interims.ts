/** Reads the interim results of a chain's running calls from the server: they are in the heartbeats, not in the history. */

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { parseHeartbeatDetails } from '../../contract/index.js';
import type { CallInterim } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { decodeFirstValue } from '../../history/index.js';
import { createMetadataClient } from './metadata-client.js';

/**
 * Returns the interim result of the current attempt at each running call. Best effort: a call may end in the meantime, and
 * details may be those of another program.
 */
export async function readInterims(
  client: Client,
  { chainId, runId, closed, attempts }: Pick<RecordedChain, 'chainId' | 'runId' | 'closed' | 'attempts'>,
): Promise<readonly CallInterim[]> {
  const isRunning = [...attempts.values()].some(({ made, endedEventId }) => made > 0 && endedEventId === null);
  if (closed !== null || !isRunning) return [];
  const { raw } = await createMetadataClient(client).getHandle(chainId, runId).describe();
  const converter = client.workflow.options.loadedDataConverter;
  const read = async ({ activityId, attempt, heartbeatDetails }: PendingActivity): Promise<readonly CallInterim[]> => {
    const payloads = heartbeatDetails?.payloads;
    if (payloads == null || payloads.length === 0) return [];
    const { interim } = parseHeartbeatDetails(await decodeFirstValue<unknown>(converter, payloads, chainId));
    // That of an earlier attempt is over.
    return interim === null || interim.attempt !== attempt ? [] : [{ call: activityId ?? '', ...interim }];
  };
  const readings = (raw.pendingActivities ?? []).map((pending) => read(pending).catch(() => []));
  return (await Promise.all(readings)).flat();
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];
