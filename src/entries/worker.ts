/** `longhand/worker`: runs agents. */

export type { EndEvent, EventPlace, StepEvent } from '../contract/index.js';
export type { AuditPolicy } from '../core/audit/index.js';
export { createLogger, type LoggerOptions, type LogLevelName } from '../logs/index.js';
export type {
  DatedModelPrice,
  ModelDefinition,
  ModelDefinitions,
  ModelList,
  ModelPrice,
  ModelPriceTier,
  ModelRates,
  ModelRule,
} from '../models/index.js';
export { parseVisibility } from '../options/index.js';
export { createEnvironmentSecrets, createFolderSecrets } from '../secrets/index.js';
export type { Retention, RetentionRule } from '../store/index.js';
export type { WorkerApprovals } from '../tools/define/index.js';
export {
  type CircuitBreakerOptions,
  createWorker,
  type LonghandWorker,
  type LonghandWorkerOptions,
  runWorker,
  type TemporalWorkerOptions,
  type ToolCallEvent,
  type WorkerHooks,
} from '../worker/index.js';
