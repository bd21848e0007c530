/** Starts, reads, follows, lists and steers chains. */

export type { ChainDescription, ChainHandle, ReadResult, ViewOptions } from './chain-handle.js';
export type {
  ApproveOptions,
  CancelOptions,
  CancelReceipt,
  ChainCommands,
  DecideOptions,
  PauseOptions,
  ResolveOutcomeOptions,
  ResumeOptions,
  Sender,
  SignalOptions,
} from './commands/chain-commands.js';
export { type CommandReceipt, isNotRunning } from './commands/send-command.js';
export { type ConnectOptions, connect, type Longhand, type ThreadChain } from './connect.js';
export {
  ArchiveMismatchError,
  ChainExistsError,
  ChainNotFoundError,
  ChainRunningError,
  CommandRejectedError,
  ForkError,
  InvalidInputError,
  isServerUnavailable,
} from './errors/errors.js';
export type { ChainEvent, EntryEvent, FollowEvent, WatchEvent } from './follow/event.js';
export type { FollowOptions } from './follow/follow.js';
export type { WatchOptions } from './follow/watch.js';
export { listChainPage } from './list/chain-page.js';
export { type ChainRow, matchesFilter, type RowFilter, sortRows, toChainRow } from './list/chain-row.js';
export { canFindByText, seesIndexedText } from './list/find-by-text.js';
export {
  computeWaitingSince,
  type Hold,
  type InboxChain,
  type InboxOptions,
  type InboxQuestion,
  listHeldChainIds,
  listLongestWaiting,
} from './list/inbox.js';
export { type InboxView, viewWaitingChain, type WaitingChainView } from './list/inbox-view.js';
export { type ListedArchivedChain, listArchivedChains, toListedChain } from './list/list-archived.js';
export {
  getRecordedStatus,
  isInterruption,
  type ListedChain,
  type ListedStatus,
  type ListQuery,
  listChains,
} from './list/list-chains.js';
export type { ArchiveMismatch } from './read/archive-mismatch.js';
export { type ChainArchive, openChainArchive } from './read/chain-archive.js';
export { listChainIds } from './read/chain-ids.js';
export { readChainPart, truncateAfterStep, truncateAtStep } from './read/chain-part.js';
export { checkRun, listRunIds } from './read/chain-runs.js';
export { type ChainSource, type ReadingClient, resolveChainSource } from './read/chain-source.js';
export { createLinkedAbort } from './read/linked-abort.js';
export { explainUnreadable, isGone, mapAll } from './read/many-chains.js';
export { createMetadataClient } from './read/metadata-client.js';
export { parseRecordedChain } from './read/parse-recorded-chain.js';
export { addPendingAttempts } from './read/pending-attempts.js';
export { type EventPosition, readChain, readChainState } from './read/read-chain.js';
export {
  type ChainFile,
  type FileRef,
  type FileWithContent,
  findFile,
  findObservation,
  listFiles,
  maskContent,
  readContent,
  readVisibleFile,
  type ViewedChain,
} from './read/read-file.js';
export { readInterims } from './read/read-interims.js';
export { readContext, readPrompt } from './read/read-prompt.js';
export {
  findArchiveMismatch,
  parseAsChainFile,
  parseAsHistory,
  type RecordedHistory,
  readRecordedChain,
  toChainFile,
} from './read/recorded-chain.js';
export { resolveViewer } from './read/resolve-viewer.js';
export { readStartData } from './read/start-data.js';
export type { ChainContent, StoredArchive } from './read/stored-archive.js';
export { listRunningSubChainIds, listSubChainRequests } from './read/sub-chain-requests.js';
export { readWithSubChains } from './read/sub-chains.js';
export { type OwnedChain, readThread, type ThreadTenant } from './read/thread.js';
export { createThreadSource } from './read/thread-source.js';
export { findUnpolledQueue } from './read/unpolled-queue.js';
export type { ScheduleOptions, ScheduleOverlap } from './schedules/create-schedule.js';
export type { AgentSchedule, ScheduleListOptions, UnreadableSchedule } from './schedules/list-schedules.js';
export type { Schedules } from './schedules/schedules.js';
export type { FollowUpOptions } from './start/follow-up.js';
export type { ForkOptions } from './start/fork.js';
export { createWorkflowStart } from './start/start.js';
export type { StartableAgent, StartOptions } from './start/start-options.js';
