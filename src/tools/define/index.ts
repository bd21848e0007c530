/** `defineTool`, the checked definition, and which calls need approval. */

export {
  type Approval,
  type ApprovalCase,
  type ApprovalOptions,
  type ApprovalPolicy,
  type ApprovalVerdict,
  codeApprovals,
  type ToolApprovals,
  type WorkerApprovals,
  type WrittenPolicy,
} from './approval/approval.js';
export {
  checkRoles,
  checkToolApprovals,
  checkToolRoles,
  checkVerdict,
  checkWorkerApprovals,
  questionRuleChecks,
  validateTimes,
} from './approval/check-approval.js';
export {
  type ApprovalResult,
  type ApprovalTool,
  combineApprovals,
  toApprovalResult,
  toRequestRules,
  toToolApprovalResult,
} from './approval/combine-approvals.js';
export { type AskPerson, createAsk, type OpenQuestion, type PersonQuestion, Unanswered } from './ask-person.js';
export type { CallModels, FindModel, ModelAnswer, ModelQuestion } from './call-models.js';
export type { CallMemory, CallStorage, ClippedResult, MemoryOwner, RememberedText } from './call-storage.js';
export type { Concurrency, ConcurrencyOptions } from './concurrency.js';
export {
  defineTool,
  listExplicitOptions,
  type ScoreAnswer,
  type Tool,
  type TypedTool,
  toToolQueue,
} from './define-tool.js';
export { createDefinitionErrorFactory, type DefinitionErrorFactory } from './definition-error.js';
export { isNamed, listErrorMarks, NotDone, ToolError, type ToolErrorOptions } from './errors.js';
export { type FileOptions, file, isToolFile, type ToolFile } from './file.js';
export { toJsonSchema, toOutputSchema } from './json-schema.js';
export { toFullContent, toJson, toObservation } from './observation.js';
export { prepareNotDone } from './prepare-not-done.js';
export { markRunsIn } from './runs-in.js';
export { checkTaskQueue, checkTypeName } from './temporal-names.js';
export {
  checkSummaryOptions,
  type ObservationSummaryOptions,
  type ToolContext,
  type ToolDefinition,
  type ToolLog,
  type ToolPrice,
} from './tool-definition.js';
export {
  fromJsonSchema,
  type SchemaInput,
  type SchemaOutput,
  type ToolSchema,
  validateInput,
  validateSchema,
} from './tool-schema.js';
export { isToolSource, type OpenToolSource, type SourceContext, type ToolSource } from './tool-source.js';
export { sensitiveMark } from './tool-view.js';
export { type HookedCall, isErrorBefore, type ToolHooks, wrapTools } from './wrap-tools.js';
