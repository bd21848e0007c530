/** `defineAgent`, delegation, the snapshot, the open sources of tools. */

export {
  type Agent,
  type AgentDefinition,
  type AskOptions,
  collectAgents,
  isAgent,
  type ModelRetryOptions,
  type OnProviderError,
  type StepCheck,
  type StepCheckResult,
  type StrategyChoice,
} from './agent-definition.js';
export { type AgentSources, createAgentSources, SourceUnreachableError } from './agent-sources.js';
export type { AnswerDecision, AnswerFinding, AnswerOf } from './answer-members.js';
export { type CheapestOptions, cheapest } from './cheapest.js';
export { checkModelRetry, checkOnProviderError } from './check-agent.js';
export { checkExamples, renderInstructions } from './check-examples.js';
export { checkStrategy } from './check-strategy.js';
export { defineAgent, formatInvalidCall } from './define-agent.js';
export { defineStrategy, findParser, type OwnStrategy, type StrategyDefinition } from './define-strategy.js';
export { type DelegateOptions, delegate, type ExploreOptions, explore, type MapOptions, mapAgent } from './delegate.js';
export type { DelegateTool, DelegationOptions, JudgeChoice } from './delegate-tool.js';
export { computePlanScope, createPlanCache, type PlanCache } from './plan-cache.js';
export {
  applyRoutePolicy,
  type ModelCapability,
  modelCapabilities,
  type RouteCandidate,
  type RouteContext,
  type RoutePolicy,
} from './route-policy.js';
export { createSnapshot, type SnapshotDefaults } from './snapshot.js';
