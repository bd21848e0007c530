/** Longhand's public API. Anything not exported here may change without notice. */

export type { ModelRetryOptions, OnProviderError } from './agents/agent-definition.js';
export {
  type Agent,
  type AgentDefinition,
  defineAgent,
  type StepCheck,
  type StepCheckResult,
  type StrategyChoice,
} from './agents/define-agent.js';
export {
  type DelegateOptions,
  delegate,
  type ExploreOptions,
  explore,
  type MapOptions,
  mapAgent,
} from './agents/delegate.js';
export type { DelegateTool, DelegationOptions, JudgeChoice } from './agents/delegate-tool.js';
export { createPlanCache, type PlanCache } from './agents/plan-cache.js';
export type { RouteContext, RoutePolicy } from './agents/route-policy.js';
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
} from './client/commands/chain-commands.js';
export type { CommandReceipt } from './client/commands/send-command.js';
export { type ConnectOptions, connect, type Longhand, type ThreadChain } from './client/connect.js';
export {
  ArchiveMismatchError,
  ChainExistsError,
  ChainNotFoundError,
  CommandRejectedError,
  ForkError,
  InvalidChainFileError,
  InvalidInputError,
} from './client/errors/errors.js';
export type { ChainEvent, EntryEvent, FollowEvent, WatchEvent } from './client/follow/event.js';
export type { FollowOptions } from './client/follow/follow.js';
export type { WatchOptions } from './client/follow/watch.js';
export type { ChainDescription, ChainHandle, ViewOptions } from './client/handle.js';
export type { Hold, InboxChain, InboxOptions } from './client/list/inbox.js';
export type { ChainArchive, ChainContent } from './client/read/chain-archive.js';
export type { EventPosition } from './client/read/read-chain.js';
export type { ChainFile, FileRef, FileWithContent } from './client/read/read-file.js';
export {
  parseRecordedChain,
  type RecordedChain,
  toReasoning,
} from './client/read/recorded-chain.js';
export type { OwnedChain, ThreadTenant } from './client/read/thread.js';
export type { AgentSchedule, ScheduleListOptions, UnreadableSchedule } from './client/schedules/list-schedules.js';
export type { ScheduleOptions, ScheduleOverlap } from './client/schedules/schedules.js';
export type { FollowUpOptions } from './client/start/follow-up.js';
export type { ForkOptions } from './client/start/fork.js';
export type { StartableAgent, StartOptions } from './client/start/start.js';
export type { TemporalOptions } from './connection/settings.js';
export type { EndEvent, EventPlace, StepEvent } from './contract/chain-events.js';
export {
  createTokenChannel,
  type InterimPiece,
  type LivePiece,
  type TokenChannel,
  type TokenPiece,
  type TokenPublisher,
  type TokenSubscriber,
} from './contract/tokens.js';
export type { AuditPolicy } from './core/audit/policy.js';
export type { ChainResult } from './core/engine/result.js';
export { type ErrorCode, isLonghandError, LonghandError } from './core/lib/errors.js';
export type { PixelSize } from './core/lib/file-info.js';
export type { Json, JsonObject } from './core/lib/json.js';
export type { ScoreCandidate } from './core/model/action.js';
export type { ActivityAttempts, AttemptFailure } from './core/model/activity.js';
export type {
  AgentSnapshot,
  AuditLevel,
  AutonomousOptions,
  Effects,
  FileRule,
  ModelRetry,
  ModelRole,
  ModelSnapshot,
  PlanOptions,
  ReactOptions,
  Routing,
  SeenTool,
  StrategyOptions,
  StructuredOutput,
  TaskFallback,
  ToolConcurrency,
  ToolOrigin,
  ToolQueue,
  ToolSnapshot,
  ToolsOptions,
  ToolView,
} from './core/model/agent.js';
export type { BlockRule, DiffRule, EditRule, TableRule } from './core/model/block.js';
export type {
  CallableModel,
  CallCost,
  CostPart,
  ModelCallCost,
  ModelCharge,
  ModelUse,
} from './core/model/call-cost.js';
export type { CallProgress } from './core/model/call-progress.js';
export type { Call, CallStatus, Chain, PersonMessage, Step } from './core/model/chain.js';
export type { ChildCharge, StartedChain, SubChainEnd } from './core/model/child.js';
export type { Breakpoint, CommandPermissions } from './core/model/command.js';
export { defaults } from './core/model/defaults.js';
export type {
  Delegation,
  DelegationJudge,
  DelegationSpread,
  ResultDetail,
} from './core/model/delegation.js';
export type { CheckResult, ModelFailure, Requester } from './core/model/fact.js';
export type { ModelFailureKind } from './core/model/failure-kind.js';
export type { FileContent } from './core/model/file.js';
export type { AttemptInterim, CallInterim, InterimResult } from './core/model/interim.js';
export type { VisibilityLevel } from './core/model/level.js';
export type { Limits, LimitUsage, PartialLimits, RunLimits } from './core/model/limits.js';
export type { TextSpan } from './core/model/lineage.js';
export type {
  FileBlock,
  ModelMessage,
  ModelRequest,
  OutputFormat,
  RedactedThinkingBlock,
  Reply,
  ReplyBlock,
  ReplyStopReason,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolSpec,
  ToolUseBlock,
  Usage,
  UserBlock,
} from './core/model/model.js';
export type { Notice, NoticeCode } from './core/model/notice.js';
export type {
  Plan,
  PlanGuidance,
  PlannedTask,
  PlanScope,
  PlanTemplate,
  StoredPlan,
  Task,
  TaskComplexity,
  TaskStatus,
} from './core/model/plan.js';
export type { Price, PriceTier, Rates } from './core/model/price.js';
export type { MissingPrompt, ModelCallRef, Prompt, RequestDigests, SentPrompt } from './core/model/prompt.js';
export type { ReactExample, ReactExampleStep } from './core/model/react-example.js';
export type { AnswerRepair } from './core/model/reading.js';
export type { RejectionCode } from './core/model/rejection.js';
export type {
  CallAnswer,
  CallRequest,
  Decision,
  PersonRequest,
  RequestKind,
  RequestRules,
  Risk,
  ToolQuestion,
  Vote,
} from './core/model/request.js';
export type { AnsweringModel, CallRoute, TriedModel } from './core/model/routing.js';
export type {
  CallPayment,
  ChainState,
  MissingPart,
  ModelBounds,
  RequestBound,
  ReservedCharges,
} from './core/model/state.js';
export type { Outcome, StopCode } from './core/model/stop-reason.js';
export type { StepVisibility, StoredContent, StoredFile, StoredParts } from './core/model/stored-content.js';
export type {
  CalledTool,
  EarlierMessage,
  EarlierMessages,
  ThreadMessage,
  ThreadRef,
} from './core/model/thread.js';
export type { KnownToolKind } from './core/model/tool-kind.js';
export type { ActivityRun, ArgumentForm, ForeignCallContext, ToolRun, WorkflowRun } from './core/model/tool-run.js';
export type { Reservation } from './core/model/usage.js';
export type { ChainRun, CloseStatus } from './core/record/chain-file.js';
export type { ChainListItem } from './core/record/chain-list-item.js';
export type {
  ChainFigures,
  ChainGrouping,
  ChargeFigures,
  CostGroup,
  CostGrouping,
  CostPeriod,
  CostReport,
  ModelFigures,
  ToolFigures,
} from './core/record/cost-report.js';
export type { FieldPath, OptionalKind, PatternKind, RedactionPolicy, UserPattern } from './core/redact/policy.js';
export { createRedactor, type Redactor } from './core/redact/redactor.js';
export type { ChainStatus } from './core/state/due-requests.js';
export type { CallResult, ChainEntry } from './core/state/entry.js';
export type { OpenRequest } from './core/state/open-requests.js';
export type { Holder, RetryWait } from './core/state/retry-wait.js';
export type { StepProgress } from './core/state/step-progress.js';
export type { CallWaitView } from './core/view/call-waits.js';
export type { ChildStatus } from './core/view/child-status.js';
export {
  type ContentBlock,
  type DiffBlock,
  type DiffRow,
  type TableBlock,
  type TableColumn,
  toContentBlock,
} from './core/view/content-block.js';
export type {
  AncestorCall,
  Ancestry,
  ApprovalStatus,
  ApprovalStep,
  ModelCallStats,
  NoticeStep,
  Reasoning,
  ReasoningState,
  ReasoningStatus,
  ReasoningStep,
  Spending,
  StepKind,
  SubChain,
  SubChainState,
  SynthesisStep,
  ThinkingStep,
  ToolCallStep,
  ToolResultStep,
} from './core/view/reasoning.js';
export { type ReasoningEvent, type ReasoningEventStep, toReasoningEvent } from './core/view/reasoning-event.js';
export type {
  ChildChain,
  ChildSummary,
  ChildView,
  EarlierView,
  FullStep,
  HiddenStep,
  PlanView,
  ReasoningView,
  StepView,
  SummaryStep,
} from './core/view/reasoning-view.js';
export type { ResultSource } from './core/view/sources.js';
export type { StepRange } from './core/view/step-range.js';
export { toExample } from './core/view/to-example.js';
export { buildTrace, type Trace, type TraceStep } from './core/view/trace.js';
export { validateVisibility } from './core/view/validate-visibility.js';
export { view } from './core/view/view.js';
export type { InterimView } from './core/view/view-interim.js';
export {
  allPreferencesOn,
  createViewer,
  type LevelKind,
  type Preferences,
  type RoleLevels,
  type SecurityRule,
  type StepLevels,
  type ToolRule,
  type Viewer,
  type VisibilityConfig,
} from './core/view/visibility.js';
export type { Why, WhySource } from './core/view/why.js';
export type { EncryptionOption } from './encryption/encryption.js';
export { EncryptionError, type EncryptionProblem } from './encryption/errors.js';
export type { MasterKey, MasterKeys } from './encryption/master-keys.js';
export { MissingRunError } from './history/earlier-runs.js';
export type { RunReference } from './history/read-history.js';
export { createLogger, type LoggerOptions, type LogLevelName } from './logs/create-logger.js';
export type {
  AiSdkModel,
  AiSdkModels,
  AiSdkStream,
  AiSdkStreamReader,
  AiSdkStreamResult,
} from './models/ai-sdk/model.js';
export { type AiSdkOptions, aiSdkProvider } from './models/ai-sdk/provider.js';
export { type AnthropicOptions, anthropicProvider } from './models/anthropic/provider.js';
export type {
  DatedModelPrice,
  ModelDefinition,
  ModelDefinitions,
  ModelPrice,
  ModelPriceTier,
  ModelRates,
} from './models/catalogue/model-definitions.js';
export {
  type BalancedEndpoint,
  type BalancedOptions,
  balancedProvider,
} from './models/endpoints/balanced-provider.js';
export type { ModelList, ModelRule } from './models/model-rules.js';
export { type OpenaiOptions, openaiProvider } from './models/openai/provider.js';
export type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './models/wire/provider.js';
export type { ChainOptions } from './options/chain-options.js';
export type { Duration } from './options/duration.js';
export type { LimitOptions } from './options/limits.js';
export type { TaskContext } from './options/task-context.js';
export { parseVisibility } from './options/visibility-rules.js';
export { type CodeToolsOptions, codeTools } from './presets/code/code-tools.js';
export { type CoderOptions, coder } from './presets/coder.js';
export {
  builtInPlans,
  debugBug,
  implementFeature,
  refactorCode,
} from './presets/plans/built-in-plans.js';
export {
  definePlan,
  type PlanDefinition,
  type PlanDefinitionOptions,
  type PlanStart,
  type PlanTaskDefinition,
} from './presets/plans/define-plan.js';
export type { TokenOption } from './relay/relay.js';
export type { SecretProvider, SecretScope } from './secrets/secret-provider.js';
export {
  createEnvironmentSecrets,
  createFolderSecrets,
} from './secrets/secret-provider.js';
export type { ArchivedChainSummary, ArchivePage, ArchiveQuery } from './store/archive/query-archive.js';
export type { Retention, RetentionRule } from './store/archive/retention.js';
export { ErasedChainError } from './store/archive/run-rows.js';
export type { CostQuery } from './store/archive/sum-costs.js';
export { StoreError, type StoreErrorKind } from './store/db/errors.js';
export { type OpenStoreOptions, openStore } from './store/db/open.js';
export type { Store, StoreOption } from './store/db/store.js';
export {
  createLedger,
  type Ledger,
  type LedgerAmounts,
  type LedgerCounter,
  type LedgerScope,
  type LedgerWindow,
  type ReserveRequest,
  type ReserveResult,
} from './store/ledger/ledger.js';
export type { PreferenceKey } from './store/preferences/preferences.js';
export type { RegisteredAgent, RegisteredWorker } from './store/workers/worker-registry.js';
export { type ActivityToolDefinition, activityTool } from './tools/adapters/activity-tool.js';
export type { AdaptOptions, ToolOverrides } from './tools/adapters/adapt-tools.js';
export { type AiSdkTool, aiSdkTools } from './tools/adapters/ai-sdk-tools.js';
export { type CommandToolOptions, commandTool } from './tools/adapters/command-tool.js';
export type { ForeignToolDefinition } from './tools/adapters/foreign-run.js';
export { type LangchainTool, langchainTools } from './tools/adapters/langchain-tools.js';
export { type WorkflowToolDefinition, workflowTool } from './tools/adapters/workflow-tool.js';
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
export { type CalculatorOptions, calculator } from './tools/builtin/calculator.js';
export type { ConsensusRule } from './tools/builtin/compare-answers.js';
export { type ConsensusToolOptions, consensusTool } from './tools/builtin/consensus.js';
export { type CsvQueryOptions, csvQuery } from './tools/builtin/csv-query.js';
export { type FetchPageToolOptions, fetchPageTool } from './tools/builtin/fetch-page.js';
export type { DataQueryOptions } from './tools/builtin/files/data-source.js';
export { type FileToolsOptions, fileTools } from './tools/builtin/files.js';
export type { HttpToolOptions } from './tools/builtin/http/http-tool.js';
export type { RequestHeaders, SecretHeader } from './tools/builtin/http/request-headers.js';
export type { HttpMethod } from './tools/builtin/http/request-input.js';
export { type HttpRequestToolOptions, httpRequestTool } from './tools/builtin/http-request.js';
export { type JsonQueryOptions, jsonQuery } from './tools/builtin/json-query.js';
export { type LlmToolOptions, llmTool } from './tools/builtin/llm.js';
export { type RecallOptions, type RememberOptions, recall, remember } from './tools/builtin/memory.js';
export type { ModelToolOptions } from './tools/builtin/model-tool.js';
export { type NowOptions, now } from './tools/builtin/now.js';
export { type ReadMoreOptions, readMore } from './tools/builtin/read-more.js';
export { type SkillScript, type SkillToolsOptions, skillTools } from './tools/builtin/skills.js';
export { type SqlQueryOptions, sqlQuery } from './tools/builtin/sql-query.js';
export { type WaitOptions, wait } from './tools/builtin/wait.js';
export type { AskPerson, PersonQuestion } from './tools/define/ask-person.js';
export type { CallModels, FindModel, ModelAnswer, ModelQuestion } from './tools/define/call-models.js';
export type {
  CallMemory,
  CallStorage,
  ClippedResult,
  MemoryOwner,
  RememberedText,
} from './tools/define/call-storage.js';
export type { Concurrency, ConcurrencyOptions } from './tools/define/concurrency.js';
export {
  defineTool,
  type ScoreAnswer,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolLog,
  type ToolPrice,
  type TypedTool,
} from './tools/define/define-tool.js';
export { NotDone, ToolError, type ToolErrorOptions } from './tools/define/errors.js';
export { type FileOptions, file, type ToolFile } from './tools/define/file.js';
export { fromJsonSchema, type SchemaInput, type SchemaOutput, type ToolSchema } from './tools/define/tool-schema.js';
export type { OpenToolSource, SourceContext, ToolSource } from './tools/define/tool-source.js';
export { type HookedCall, type ToolHooks, wrapTools } from './tools/define/wrap-tools.js';
export type { LookupHost } from './tools/http/resolve-host.js';
export { type IsolateOptions, isolate } from './tools/isolation/isolate.js';
export { mcpTools } from './tools/mcp/mcp-tools.js';
export type {
  McpClientCredentials,
  McpCommandOptions,
  McpElicitation,
  McpOptions,
  McpSampling,
  McpSecret,
  McpUrlOptions,
  McpValue,
} from './tools/mcp/options.js';
export { type OpenApiSourceOptions, openApiSource } from './tools/openapi/open-api-source.js';
export { type OpenApiOptions, openApiTools } from './tools/openapi/open-api-tools.js';
export type { SchemeSecrets } from './tools/openapi/security.js';
export type { CommandVariables } from './tools/process/environment.js';
export type { CircuitBreakerOptions } from './worker/circuits.js';
export { createWorker, type LonghandWorker, runWorker } from './worker/create-worker.js';
export type { ToolCallEvent, WorkerHooks } from './worker/hooks.js';
export type { LonghandWorkerOptions, TemporalWorkerOptions } from './worker/worker-options.js';
