/** What the server knows of activities that have not ended: their history tells of an attempt only when it is over. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Attempts } from '../../core/model/activity.js';
import type { Recorded } from './recorded.js';

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** The chain with its running calls' attempts as they are now. Beside the facts, like all attempts. */
export function withPending(recorded: Recorded, { raw }: Pick<WorkflowExecutionDescription, 'raw'>): Recorded {
  const attempts = new Map(recorded.attempts);
  for (const pending of raw.pendingActivities ?? []) {
    const known = attempts.get(pending.activityId ?? '');
    if (known !== undefined && known.endedEventId === null)
      attempts.set(pending.activityId ?? '', told(pending, known));
  }
  return { ...recorded, attempts };
}

function told(pending: Pending, known: Attempts): Attempts {
  const { attempt, lastStartedTime, lastWorkerIdentity, lastFailure } = pending;
  const begun = lastStartedTime != null;
  return {
    ...known,
    made: begun ? (attempt ?? 1) : 0,
    startedAt: begun ? Number(lastStartedTime.seconds ?? 0) * 1_000 : null,
    worker: lastWorkerIdentity || known.worker,
    lastFailure: lastFailure?.message ?? known.lastFailure,
  };
}
