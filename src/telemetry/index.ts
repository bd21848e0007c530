/** Traces and metrics by OpenTelemetry; loaded when the environment enables it. */

export { getErrorType } from './conventions.js';
export { createTelemetry } from './create-telemetry.js';
export { toTemporalMetrics } from './settings.js';
export type { Instruments, WarnFunction } from './telemetry.js';
