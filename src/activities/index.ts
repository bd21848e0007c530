/** The activities of a worker: model calls, tool calls, sub-chains, archive, webhooks. */

export { type ArchiveResult, archiveRun } from './archive/archive-run.js';
export { addStepToLogs } from './context/activity-context.js';
export { CallSlots } from './context/call-slots.js';
export { checkDataDetectors, createDataMarker, type DataDetector } from './context/data-detectors.js';
export type { Archive, Dependencies } from './context/dependencies.js';
export { toRegisteredAgents } from './context/failures.js';
export { createRejection } from './context/model-access.js';
export { createRequeueReporter } from './context/report-requeues.js';
export { createActivities } from './create-activities.js';
