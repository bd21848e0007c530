/** Providers of models behind one interface, prices and sizes, and endpoints that fail. */

export type { AiSdkModel, AiSdkModels, AiSdkStream, AiSdkStreamReader, AiSdkStreamResult } from './ai-sdk/model.js';
export { type AiSdkOptions, aiSdkProvider } from './ai-sdk/provider.js';
export { type AnthropicOptions, anthropicProvider } from './anthropic/provider.js';
export {
  createCatalogue,
  loadCatalogue,
  type ModelEntry,
  parsePriceMap,
  readPriceMap,
  readShippedMap,
} from './catalogue/catalogue.js';
export {
  type DatedModelPrice,
  loadModelDefinitions,
  type ModelDefinition,
  type ModelDefinitions,
  type ModelPrice,
  type ModelPriceTier,
  type ModelRates,
} from './catalogue/model-definitions.js';
export { type AdmittedCall, admitCalls, type CallGate } from './endpoints/admitted-provider.js';
export { type BalancedEndpoint, type BalancedOptions, balancedProvider } from './endpoints/balanced-provider.js';
export type { CircuitRules } from './endpoints/circuit.js';
export { breakCircuits, Circuits } from './endpoints/circuit-breaker.js';
export {
  createProvidersFromEnvironment,
  describeProviders,
  type EnvironmentProvider,
  readDefaultModel,
  readModelsFile,
  readPricesFile,
} from './environment.js';
export {
  type AccessRules,
  checkModelRules,
  findRuleProblem,
  type ModelList,
  type ModelRule,
  type RuledModel,
} from './model-rules.js';
export {
  createModels,
  listEndpointNames,
  type Models,
  mapEndpoints,
  ProviderMissingError,
  type ResolvedModel,
} from './models.js';
export { type OpenaiOptions, openaiProvider } from './openai/provider.js';
export { callAndCheckUsage } from './wire/check-usage.js';
export type {
  ModelCall,
  ModelCaller,
  ModelCallOptions,
  ModelCallResult,
  ModelProvider,
  SpentCall,
} from './wire/provider.js';
export {
  parseJsonObject,
  readText,
  serializeEvent,
  toReplyBody,
  toReplyEvents,
  type WireReply,
} from './wire/wire-events.js';
export { type HookedModelCall, type ModelHooks, wrapModels } from './wrap-models.js';
