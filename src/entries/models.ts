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
  type ModelCall,
  type ModelCallOptions,
  type ModelCallResult,
  type ModelDefinition,
  type ModelDefinitions,
  type ModelProvider,
  type OpenaiOptions,
  openaiProvider,
} from '../models/index.js';
