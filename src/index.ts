/** Longhand's public face. What is not exported here may change without notice. */

export { type CoderOptions, coder } from './agents/coder.js';
export {
  type Agent,
  type AgentDefinition,
  type Check,
  defineAgent,
  type StrategyChoice,
  type Verdict,
} from './agents/define-agent.js';
export { type DelegateOptions, delegate } from './agents/delegate.js';
export type { DelegateTool, JudgeChoice } from './agents/delegate-tool.js';
export { type ExploreOptions, explore } from './agents/explore.js';
export { type MapOptions, map } from './agents/map.js';
export { type PlanCache, plansInMemory } from './agents/plan-cache.js';
export type { CancelOptions, CancelReceipt } from './client/cancel.js';
export { type ConnectOptions, connect, type Longhand } from './client/connect.js';
export type { Description } from './client/describe.js';
export type { Receipt } from './client/direct.js';
export { ChainExistsError, ForkError, NoSuchChainError, RefusedError, UnreadableFileError } from './client/errors.js';
export type { ChainEvent, FollowOptions } from './client/follow.js';
export type { ForkOptions } from './client/fork.js';
export type { ChainHandle, ViewOptions } from './client/handle.js';
export type { InboxChain, InboxOptions } from './client/inbox.js';
export type {
  ApproveOptions,
  DecideOptions,
  OutcomeOptions,
  PauseOptions,
  People,
  Speaker,
} from './client/people.js';
export type { Position } from './client/read-chain.js';
export { type Recorded, reasoningOf, recordedInFile } from './client/recorded.js';
export type { OpenRequest } from './client/requests.js';
export type { StartableAgent, StartOptions } from './client/start.js';
export type { WatchEvent, WatchOptions } from './client/watch.js';
export { type SpokenPiece, type TokenChannel, tokenChannel } from './contract/tokens.js';
export type { Effects, Level, ModelSnapshot, ToolSnapshot, ToolView } from './core/agent.js';
export type { Call, CallStatus, Chain, Notice, Step } from './core/chain.js';
export { problemWithVisibility } from './core/check-visibility.js';
export type { ChildNews } from './core/child-news.js';
export { defaults } from './core/defaults.js';
export type { BegunChain, EndedChain } from './core/delegate/begun-chain.js';
export type { Entry } from './core/entry.js';
export type { Json, JsonObject } from './core/json.js';
export type { Artifact, Whole } from './core/kept.js';
export type { Limits } from './core/limits.js';
export type { Usage } from './core/model.js';
export type { AskKind, Risk, Vote } from './core/people/ask.js';
export type { Breakpoint, Permissions } from './core/people/direction.js';
export type { Plan, PlannedTask, PlanTemplate, Task, TaskStatus } from './core/plan/plan.js';
export type { PlanView } from './core/plan/plan-view.js';
export type {
  ApprovalStatus,
  ApprovalStep,
  Reasoning,
  ReasoningState,
  ReasoningStatus,
  ReasoningStep,
  Spent,
  StepKind,
  SubChain,
  SubChainState,
} from './core/reasoning.js';
export type {
  ChildView,
  FullStep,
  HiddenStep,
  ReasoningView,
  StepView,
  SummaryStep,
} from './core/reasoning-view.js';
export type { OptionalKind, PatternKind, RedactionPolicy, UserPattern } from './core/redact/policy.js';
export { createRedactor, type Redactor } from './core/redact/redactor.js';
export type { ChainResult } from './core/result.js';
export type { Outcome, State } from './core/state.js';
export { type Trace, type TraceStep, traceOf } from './core/trace.js';
export { view } from './core/view.js';
export {
  everythingOn,
  type Preferences,
  type SecurityRule,
  type StepLevels,
  type ToolRule,
  type Viewer,
  type VisibilityConfig,
  viewerOf,
} from './core/visibility.js';
export type { EncryptionOption } from './encryption/encryption.js';
export { EncryptionError, type EncryptionProblem } from './encryption/errors.js';
export type { MasterKey, MasterKeys } from './encryption/master-keys.js';
export { createLogger, type LoggerOptions } from './logs/create-logger.js';
export { type AnthropicOptions, anthropicProvider } from './models/anthropic.js';
export type { ModelProvider } from './models/provider.js';
export { environmentSecrets, folderSecrets } from './secrets/default-secrets.js';
export type { SecretProvider, SecretScope } from './secrets/secret-provider.js';
export { StoreError, type StoreErrorKind } from './store/errors.js';
export {
  type Amounts,
  type Ledger,
  type LedgerScope,
  ledgerIn,
  type Reserved,
  type ReserveRequest,
} from './store/ledger.js';
export { openStore } from './store/open.js';
export type { Store } from './store/store.js';
export type { LedgerWindow } from './store/windows.js';
export { builtInWorkflows } from './templates/built-in.js';
export { debugBug } from './templates/debug-bug.js';
export {
  defineWorkflow,
  type FilledWorkflow,
  type Workflow,
  type WorkflowDefinition,
  type WorkflowStep,
} from './templates/define-workflow.js';
export { implementFeature } from './templates/implement-feature.js';
export { refactorCode } from './templates/refactor-code.js';
export type {
  Approval,
  ApprovalCase,
  ApprovalOptions,
  ApprovalPolicy,
  ApprovalVerdict,
  ToolApprovals,
  WorkerApprovals,
} from './tools/approval.js';
export { type AskUserOptions, askUser } from './tools/ask-user.js';
export { codeApprovals } from './tools/code-approvals.js';
export { type CodeToolsOptions, codeTools } from './tools/code-tools.js';
export { defineTool, type Tool, type ToolContext, type ToolDefinition, type ToolLog } from './tools/define-tool.js';
export { NotDone, ToolError } from './tools/errors.js';
export { fileTools } from './tools/files.js';
export { createWorker, type LonghandWorker, type LonghandWorkerOptions, runWorker } from './worker/create-worker.js';
