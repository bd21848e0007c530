/** The worker, composed of all rooms. It knows the workflows only by path. */

export type { DataDetector } from '../activities/index.js';
export type { SpendingOptions } from './budget-options.js';
export { findWorkflowBundle } from './bundle.js';
export type { CircuitBreakerOptions } from './circuits.js';
export { createWorker, runWorker } from './create-worker.js';
export { limitHeapGrowth } from './heap-growth.js';
export type { ToolCallEvent, WorkerHooks } from './hooks.js';
export type { LonghandWorker } from './longhand-worker.js';
export { type LonghandPluginOptions, longhandPlugin } from './plugin.js';
export { type ReplayMismatch, replayHistory } from './replay-history.js';
export { formatClosedQuery, sweep } from './sweep.js';
export type { LonghandWorkerOptions, TemporalWorkerOptions } from './worker-options.js';
export { createForget, createStoreArchive } from './worker-store.js';
