/** `longhand/worker`: runs agents. */

export type { TemporalOptions } from '../connection/index.js';
export {
  createTokenChannel,
  type EndEvent,
  type EventPlace,
  type StepEvent,
  type TokenChannel,
} from '../contract/index.js';
export type { AuditPolicy } from '../core/audit/index.js';
export type { BudgetChoice, BudgetCounter } from '../core/model/index.js';
export { EncryptionError, type EncryptionOption, type MasterKey, type MasterKeys } from '../encryption/index.js';
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
export { parseVisibility, type RateOptions } from '../options/index.js';
export { createEnvironmentSecrets, createFolderSecrets } from '../secrets/index.js';
export {
  type Budget,
  type BudgetScope,
  type LedgerAmounts,
  type LedgerWindow,
  type OpenStore,
  type Retention,
  type RetentionRule,
  StoreError,
  type StoreOption,
} from '../store/index.js';
export type { WorkerApprovals, WrittenPolicy } from '../tools/define/index.js';
export {
  type CircuitBreakerOptions,
  createWorker,
  type DataDetector,
  type LonghandPluginOptions,
  type LonghandWorker,
  type LonghandWorkerOptions,
  longhandPlugin,
  runWorker,
  type SpendingOptions,
  type TemporalWorkerOptions,
  type ToolCallEvent,
  type WorkerHooks,
} from '../worker/index.js';
