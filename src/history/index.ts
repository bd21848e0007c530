/** History events to facts to a chain; runs, resets, attempts. */

export { ActivityLog } from './activity-log.js';
export { readAttemptFailure } from './attempt-failure.js';
export { type ClosedRunRecord, type ClosedRunSource, readClosedRun } from './closed-run.js';
export {
  type ChainHistory,
  findPreviousRunId,
  openRunsUpTo,
  type RunReading,
  type RunsSource,
  readChainHistory,
  readRunsUpTo,
  readRunWithEarlier,
  stopRuns,
} from './earlier-runs.js';
export {
  type ClosedStatus,
  findCloseTime,
  findNextRunId,
  getEventId,
  getEventTimeMs,
  type HistoryEvent,
  interpretEvent,
} from './event.js';
export {
  computeSha256,
  emptyFold,
  type Fold,
  foldEvents,
  foldEventsToTurns,
  previewEntries,
  startFold,
} from './fold.js';
export { createFoldCache, type FoldCache } from './fold-cache.js';
export { noPendingDeliveries } from './history-inbox.js';
export { formatHistoryJson, parseHistoryJson } from './history-json.js';
export { MissingRunError } from './missing-run-error.js';
export { decodeFirstValue } from './payload.js';
export { readAhead } from './read-ahead.js';
export { type HistoryService, type RunReference, readForward } from './read-history.js';
export { buildRecordedRun, type RecordedRun } from './recorded-run.js';
export {
  findResetPoint,
  getScheduledEventId,
  isResetRejection,
  type RunLinks,
  resetRejectionType,
} from './run-summary.js';
export { type RunsService, RunTree } from './run-tree.js';
export { readStartArguments } from './start-arguments.js';
