/** What we add to the options of Temporal's worker: our interceptors stand beside the user's own, and theirs run inside. */

import type { InjectedSinks, WorkerOptions } from '@temporalio/worker';
import { stepInLogs } from '../activities/context/activity-context.js';
import type { ArchiveSinks } from '../contract/archived-runs.js';
import type { TracingSinks } from '../contract/tracing.js';
import type { Telemetry } from '../telemetry/telemetry.js';

type Given = Partial<WorkerOptions> | undefined;

export function withInterceptors(
  temporal: Given,
  telemetry: Telemetry,
  archive: InjectedSinks<ArchiveSinks>,
): Partial<WorkerOptions> {
  // There with telemetry off too: the SDK complains of what a workflow calls and nobody has.
  const sinks: InjectedSinks<TracingSinks> = {
    longhandTracing: { ended: { fn: ({ workflowId }, end) => telemetry.chainEnded(workflowId, end) } },
  };
  const { interceptors } = temporal ?? {};
  return {
    ...temporal,
    sinks: { ...temporal?.sinks, ...sinks, ...archive },
    interceptors: { ...interceptors, activity: [stepInLogs, ...telemetry.activity, ...(interceptors?.activity ?? [])] },
  };
}
