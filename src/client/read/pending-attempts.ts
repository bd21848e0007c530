/** Attempts of running calls, which a history records only when they have ended. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { type ActivityAttempts, toCallId } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { readAttemptFailure } from '../../history/index.js';

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Adds the attempts of running calls. Like all attempts they are no facts. */
export async function addPendingAttempts<T extends RecordedChain>(
  recorded: T,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
  converter: LoadedDataConverter,
): Promise<T> {
  const attempts = new Map(recorded.attempts);
  for (const pending of raw.pendingActivities ?? []) {
    const id = toCallId(pending.activityId ?? '');
    const known = attempts.get(id);
    if (known !== undefined && known.endedEventId === null)
      attempts.set(id, await updateAttempts(pending, known, converter));
  }
  return { ...recorded, attempts };
}

async function updateAttempts(
  pending: PendingActivity,
  known: ActivityAttempts,
  converter: LoadedDataConverter,
): Promise<ActivityAttempts> {
  const { attempt, lastStartedTime, lastWorkerIdentity, lastFailure } = pending;
  const hasStarted = lastStartedTime != null;
  return {
    ...known,
    made: hasStarted ? (attempt ?? 1) : 0,
    startedAt: hasStarted ? Number(lastStartedTime.seconds ?? 0) * 1_000 : null,
    worker: lastWorkerIdentity || known.worker,
    lastFailure: lastFailure ? await readAttemptFailure(lastFailure, converter) : known.lastFailure,
  };
}
