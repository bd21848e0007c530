/** What both sides of Temporal share: names, activity types, messages, validation of input. */

export type {
  ArchiveInput,
  BranchParent,
  CallModelInput,
  CallModelResult,
  ModelAttemptResult,
  PrepareAgentInput,
  PrepareAgentResult,
  ReadChildInput,
  ReadResultInput,
  RunToolInput,
  ScoreInput,
} from './activities.js';
export type { ArchivedChain, ArchivedRuns, ArchiveListing, ArchiveSinks, RunPiece } from './archived-runs.js';
export {
  type EndEvent,
  type EventPlace,
  type EventSinks,
  type StepEvent,
  toEndEvent,
  toStepEvent,
} from './chain-events.js';
export { type ChildClose, toChildCloseFromError, toChildCloseFromStartFailure, toChildFact } from './child-end.js';
export { type DeliveredFact, divideDelivery, isMessage, toDeferredCount, toFacts } from './delivery.js';
export { isRequeueFailure, toActivityFact, toLocalCallFact } from './facts.js';
export { type ActivityResult, cancelledFailure, toFailure, unwrapFailure } from './failure.js';
export { formatHeartbeatDetails, parseHeartbeatDetails, parseInterimResult } from './interim.js';
export { type ChainMessage, type MessageName, parseMessage, parseRoles, toMessageFact } from './messages.js';
export {
  activityNames,
  archiveActivityId,
  callWorkflowType,
  defaultTaskQueue,
  failureTypes,
  logMessages,
  messageNames,
  notifierWorkflowType,
  stateQuery,
  workflowType,
} from './names.js';
export {
  formatNamespaceRemedy,
  isNotFound,
  NoSuchNamespaceError,
  toNoSuchNamespaceError,
} from './no-such-namespace.js';
export type { DeliverInput, Delivery, NotifierInput, NotifierResult, WaitSinks } from './notifier.js';
export {
  createLenientFailureConverter,
  createLenientPayloadConverter,
  findStartTenant,
  isSealed,
  isSealingCodec,
  opaqueMemoConverter,
  type SealingCodec,
  sealedEncoding,
  setTenant,
  undecodable,
} from './payloads.js';
export { parseRunInput, type RunInput, type RunStartState, toRunStartState } from './run-input.js';
export { createKeywordKey, heldChainsQuery, searchAttributes } from './search-attributes.js';
export type { FoldRead, TakenTurn, TurnSinks } from './taken-turns.js';
export {
  toAttempts,
  toDetails,
  toDoubleAttribute,
  toIntAttribute,
  toKeywordAttribute,
  toSummary,
  toTimeout,
} from './temporal-limits.js';
export {
  createTokenChannel,
  type InterimPiece,
  isInterimPiece,
  type LivePiece,
  type TokenChannel,
  type TokenPiece,
  type TokenPublisher,
  type TokenSubscriber,
} from './tokens.js';
export {
  type ChainEnd,
  type ChainTraceIds,
  findTraceContext,
  type TraceContext,
  type TracingSinks,
  toChainContext,
  toChainTraceIds,
  toTraceHeaders,
} from './tracing.js';
