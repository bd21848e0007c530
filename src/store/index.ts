/** What outlives Temporal's retention: archived runs, content, the audit log, memory, budgets, keys. */

export { createArchiveReader, readRuns } from './archive/archived-runs.js';
export { type EraseTarget, eraseChains, isChainStored } from './archive/erase.js';
export { ErasedChainError } from './archive/erased-chain-error.js';
export { pruneChains } from './archive/prune.js';
export { isArchived, type PutResult, putRun } from './archive/put-run.js';
export { queryArchive } from './archive/query-archive.js';
export {
  computeRetentionMs,
  parseRetention,
  type Retention,
  type RetentionRule,
  readRetention,
} from './archive/retention.js';
export type { ChainKey } from './archive/run-rows.js';
export { splitWords, toSearchTerms } from './archive/search-words.js';
export { toSegment } from './archive/segment.js';
export { sumCosts } from './archive/sum-costs.js';
export { claimSweep, completeSweep } from './archive/sweep-claim.js';
export { acceptLogs } from './audit/accept-logs.js';
export type { AuditedChange } from './audit/append.js';
export { auditErasedRun, auditRun } from './audit/audit-run.js';
export {
  listViewedSubChains,
  recordContentsRead,
  recordContentView,
  seesUnmasked,
  type ViewedChain,
} from './audit/content-views.js';
export { eraseAuditContents } from './audit/erase-contents.js';
export {
  type AuditExportOptions,
  type ExportedChain,
  type ExportedLog,
  prepareExport,
  type ReadPrompts,
  readExportedEntries,
  type WriteFile,
  writeExport,
} from './audit/export.js';
export { type AuditFilter, isAuditType, toFilterJson } from './audit/filter.js';
export { readRecordedHeads } from './audit/head-record.js';
export {
  type AuditKey,
  AuditKeyError,
  auditKeyVariable,
  createAuditKey,
  createSignatureCheck,
  findAuditKey,
  readAuditKey,
  sha256,
  toKeyId,
} from './audit/key.js';
export { formatLogFault, LogFaultError, logFaultRemedy } from './audit/log-faults.js';
export { type AuditPage, queryAudit } from './audit/read.js';
export { checkHeads, immediateCadence, signHeads } from './audit/sign-heads.js';
export { recordVerification, verifyStore } from './audit/verify-store.js';
export type { BlobContent } from './blobs/blob-backend.js';
export type { BlobOwner } from './blobs/blob-refs.js';
export { type BlobStore, openConfiguredBlobs } from './blobs/blobs.js';
export { computeDigest, toPieces } from './blobs/pieces.js';
export { createPlanStore, deletePlans, erasePlans } from './cache/plan-store.js';
export { type CacheKey, createToolCache, type ToolCache } from './cache/tool-cache.js';
export { isStoreError, StoreError, type StoreErrorKind } from './db/errors.js';
export { connectStore, inspectStore, type OpenStoreOptions, openStore } from './db/open.js';
export { createPostgresListener, type StoreListener } from './db/postgres-listener.js';
export type {
  ArchivedChainSummary,
  ArchivePage,
  ArchiveQuery,
  CostQuery,
  PreferenceKey,
  RegisteredAgent,
  RegisteredWorker,
} from './db/queries.js';
export { findSqliteDriver } from './db/sqlite-driver.js';
export type { Store, StoreTransaction } from './db/store.js';
export { isStoreConfigured, parseStoreLocation, readStoreUrl } from './db/store-location.js';
export type { OpenStore, StoreOption } from './db/store-option.js';
export { toStore } from './db/to-store.js';
export {
  createKeyStore,
  eraseKeys,
  type KeyGrant,
  type KeyReach,
  type KeyStore,
  type StoredKey,
  useInterval,
} from './keys/key-store.js';
export {
  type Budget,
  type BudgetKey,
  type BudgetScope,
  checkBudget,
  formatAmount,
  formatBudget,
  formatBudgetScope,
  type LedgerAmounts,
  type LedgerCounter,
} from './ledger/budget.js';
export {
  type BudgetSpender,
  type BudgetStore,
  createBudgetStore,
} from './ledger/budget-store.js';
export {
  type Admission,
  type BudgetAlert,
  createLedger,
  defaultAlertAt,
  type Ledger,
  type ReserveResult,
  type SpendingCall,
} from './ledger/ledger.js';
export { getMaxLateMs, type Rate } from './ledger/rate-log.js';
export type { RatedEndpoint } from './ledger/rate-rows.js';
export type { LedgerWindow } from './ledger/window.js';
export { createMemoryStore, eraseMemories, type ListedMemory, type MemoryFilter } from './memory/memory-store.js';
export { createPreferenceStore } from './preferences/preferences.js';
export {
  createWebhookStore,
  eraseWebhooks,
  isInterested,
  type Webhook,
  type WebhookSealer,
  type WebhookStore,
} from './webhooks/webhook-store.js';
export {
  createWorkerEntry,
  listNearestAgents,
  listQueueAgents,
  listWorkers,
  renewalMs,
  type WorkerEntry,
} from './workers/worker-registry.js';
