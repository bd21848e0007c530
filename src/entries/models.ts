/** `longhand/models`: providers of models. */

export type { ModelBounds, ModelFailure, Reply } from '../core/model/index.js';
export {
  type AiSdkModel,
  type AiSdkModels,
  type AiSdkOptions,
  type AiSdkStream,
  type AiSdkStreamReader,
  type AiSdkStreamResult,
  type AnthropicOptions,
  aiSdkProvider,
  anthropicProvider,
  type BalancedEndpoint,
  type BalancedOptions,
  balancedProvider,
  type HookedModelCall,
  type ModelCall,
  type ModelCaller,
  type ModelCallOptions,
  type ModelCallResult,
  type ModelDefinition,
  type ModelDefinitions,
  type ModelHooks,
  type ModelProvider,
  type OpenaiOptions,
  openaiProvider,
  wrapModels,
} from '../models/index.js';
