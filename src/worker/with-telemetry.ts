/** Telemetry joins what else a worker was given: interceptors stand beside the user's own, and theirs run inside. */

import type { InjectedSinks, WorkerOptions } from '@temporalio/worker';
import type { TracingSinks } from '../contract/tracing.js';
import type { Telemetry } from '../telemetry/telemetry.js';

type Given = Partial<WorkerOptions> | undefined;

export function withTelemetry(temporal: Given, telemetry: Telemetry): Partial<WorkerOptions> {
  // There with telemetry off too: the SDK complains of what a workflow calls and nobody has.
  const sinks: InjectedSinks<TracingSinks> = {
    longhandTracing: { ended: { fn: ({ workflowId }, end) => telemetry.chainEnded(workflowId, end) } },
  };
  const { interceptors } = temporal ?? {};
  return {
    ...temporal,
    sinks: { ...temporal?.sinks, ...sinks },
    interceptors: { ...interceptors, activity: [...telemetry.activity, ...(interceptors?.activity ?? [])] },
  };
}
