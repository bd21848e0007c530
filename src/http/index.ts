/** Chains over HTTP, for both sides: routes, operations, schemas, the typed client. No Node, no Temporal. */

export { HttpProblemError } from './client/problem-error.js';
export type { ClientOperationId } from './client/routes.js';
export type { CallInput, CallOptions, CallValue, HttpClient, KeyedCallOptions, StreamEvent } from './client/types.js';
export { createHttpClient, type HttpClientOptions } from './client.js';
export {
  bodyBounds,
  isScope,
  type Operation,
  type OperationInput,
  type OperationResult,
  type Operations,
  type OperationValue,
  type Scope,
  scopes,
} from './operation.js';
export type { auditOperations } from './operations/audit.js';
export type { budgetOperations } from './operations/budgets.js';
export type { chainOperations } from './operations/chains.js';
export type { chatOperations, SdkHeaders } from './operations/chat.js';
export type { commandOperations } from './operations/commands.js';
export type { KeyItem, keyOperations } from './operations/keys.js';
export type { linkOperations } from './operations/links.js';
export type { systemOperations } from './operations/system.js';
export type { webhookOperations } from './operations/webhooks.js';
export { type OperationId, operations } from './operations.js';
export {
  type AgUiMessage,
  forwardedRequesterSchema,
  type RunAgent,
  type UiChat,
  type UiMessage,
} from './schemas/chat.js';
export type { StreamedChainEvent, StreamedReasoningEvent } from './schemas/event.js';
export { type GatewayCode, gatewayCodes, type Problem, problemSchema } from './schemas/problem.js';
export type { RequestItem } from './schemas/request.js';
