/** Longhand's public face. What is not exported here may change without notice. */

export {
  type Agent,
  type AgentDefinition,
  type Check,
  defineAgent,
  type StrategyChoice,
  type Verdict,
} from './agents/define-agent.js';
export {
  type DelegateOptions,
  delegate,
  type ExploreOptions,
  explore,
  type MapOptions,
  map,
} from './agents/delegate.js';
export type { DelegateTool, JudgeChoice } from './agents/delegate-tool.js';
export { type PlanCache, plansInMemory } from './agents/plan-cache.js';
export type { Receipt } from './client/commands/direct.js';
export type {
  ApproveOptions,
  CancelOptions,
  CancelReceipt,
  DecideOptions,
  OutcomeOptions,
  PauseOptions,
  People,
  Speaker,
} from './client/commands/people.js';
export { type ConnectOptions, connect, type Longhand } from './client/connect.js';
export {
  ChainExistsError,
  ForkError,
  NoSuchChainError,
  RefusedError,
  UnreadableFileError,
} from './client/errors/errors.js';
export type { ChainEvent, FollowOptions } from './client/follow/follow.js';
export type { WatchEvent, WatchOptions } from './client/follow/watch.js';
export type { ChainHandle, Description, ViewOptions } from './client/handle.js';
export type { InboxChain, InboxOptions } from './client/list/inbox.js';
export type { Position } from './client/read/read-chain.js';
export { type Recorded, reasoningOf, recordedInFile } from './client/read/recorded.js';
export type { OpenRequest } from './client/read/requests.js';
export type { ForkOptions } from './client/start/fork.js';
export type { StartableAgent, StartOptions } from './client/start/start.js';
export { type SpokenPiece, type TokenChannel, tokenChannel } from './contract/tokens.js';
export type { ChainResult } from './core/engine/result.js';
export type { Json, JsonObject } from './core/lib/json.js';
export type { Effects, Level, ModelSnapshot, ToolSnapshot, ToolView } from './core/model/agent.js';
export type { AskKind, Risk, Vote } from './core/model/ask.js';
export type { Call, CallStatus, Chain, Notice, Step } from './core/model/chain.js';
export type { BegunChain, EndedChain } from './core/model/child.js';
export { defaults } from './core/model/defaults.js';
export type { Breakpoint, Permissions } from './core/model/direction.js';
export type { Artifact, Whole } from './core/model/kept.js';
export type { Limits } from './core/model/limits.js';
export type { Usage } from './core/model/model.js';
export type { Plan, PlannedTask, PlanTemplate, Task, TaskStatus } from './core/model/plan.js';
export type { State } from './core/model/state.js';
export type { Outcome } from './core/model/stop-reason.js';
export type { OptionalKind, PatternKind, RedactionPolicy, UserPattern } from './core/redact/policy.js';
export { createRedactor, type Redactor } from './core/redact/redactor.js';
export type { Entry } from './core/state/entry.js';
export { problemWithVisibility } from './core/view/check-visibility.js';
export type { ChildNews } from './core/view/child-news.js';
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
} from './core/view/reasoning.js';
export type {
  ChildView,
  FullStep,
  HiddenStep,
  PlanView,
  ReasoningView,
  StepView,
  SummaryStep,
} from './core/view/reasoning-view.js';
export { type Trace, type TraceStep, traceOf } from './core/view/trace.js';
export { view } from './core/view/view.js';
export {
  everythingOn,
  type Preferences,
  type SecurityRule,
  type StepLevels,
  type ToolRule,
  type Viewer,
  type VisibilityConfig,
  viewerOf,
} from './core/view/visibility.js';
export type { EncryptionOption } from './encryption/encryption.js';
export { EncryptionError, type EncryptionProblem } from './encryption/errors.js';
export type { MasterKey, MasterKeys } from './encryption/master-keys.js';
export { createLogger, type LoggerOptions } from './logs/create-logger.js';
export { type AnthropicOptions, anthropicProvider } from './models/anthropic.js';
export type { ModelProvider } from './models/provider.js';
export { type CodeToolsOptions, codeTools } from './presets/code/code-tools.js';
export { type CoderOptions, coder } from './presets/coder.js';
export { builtInWorkflows, debugBug, implementFeature, refactorCode } from './presets/templates/built-in.js';
export {
  defineWorkflow,
  type FilledWorkflow,
  type Workflow,
  type WorkflowDefinition,
  type WorkflowStep,
} from './presets/templates/define-workflow.js';
export type { SecretProvider, SecretScope } from './secrets/secret-provider.js';
export { environmentSecrets, folderSecrets } from './secrets/secret-provider.js';
export { StoreError, type StoreErrorKind } from './store/db/errors.js';
export { openStore } from './store/db/open.js';
export type { Store } from './store/db/store.js';
export {
  type Amounts,
  type Ledger,
  type LedgerScope,
  type LedgerWindow,
  ledgerIn,
  type Reserved,
  type ReserveRequest,
} from './store/ledger/ledger.js';

export {
  type Approval,
  type ApprovalCase,
  type ApprovalOptions,
  type ApprovalPolicy,
  type ApprovalVerdict,
  codeApprovals,
  type ToolApprovals,
  type WorkerApprovals,
} from './tools/approval/approval.js';

export { type AskUserOptions, askUser } from './tools/builtin/ask-user.js';
export { fileTools } from './tools/builtin/files.js';
export {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolLog,
} from './tools/define/define-tool.js';
export { NotDone, ToolError } from './tools/define/errors.js';
export { createWorker, type LonghandWorker, runWorker } from './worker/create-worker.js';
export type { LonghandWorkerOptions } from './worker/worker-options.js';
