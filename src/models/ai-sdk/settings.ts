/** The settings of a model that providers of the AI SDK name differently: effort, thinking, the limit of output. */

import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import type { ModelCall } from '../wire/provider.js';
import type { AiSdkModel } from './model.js';

interface ModelSettings {
  readonly maxOutputTokens: number;
  /** Effort, in the specification since v4. */
  readonly reasoning?: string;
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/**
 * Merges the settings of a call into the provider options. The call's own come last.
 *
 * @param optionsByProvider options of all calls
 */
export function toModelSettings(
  { provider, specificationVersion }: AiSdkModel,
  { request, model, maxTokens }: ModelCall,
  optionsByProvider: Readonly<Record<string, JsonObject>>,
): ModelSettings {
  // The Messages API, at Anthropic, Bedrock or Vertex: its packages all read the options of `anthropic`.
  const isClaude = provider.includes('anthropic');
  const key = isClaude ? 'anthropic' : (provider.split('.')[0] ?? provider);
  const { thinking: ownThinking = null, ...others } = optionsByProvider[key] ?? {};
  const { thinking, budget } = isClaude
    ? toClaudeThinking(model.thinking ?? ownThinking, maxTokens)
    : { thinking: model.thinking ?? ownThinking, budget: 0 };
  const isNamed = specificationVersion === 'v4' && !isClaude;
  const own: JsonObject = {
    // For models that it does not know, the package would otherwise force a call of a tool of its own.
    ...(isClaude && request.output?.strict && { structuredOutputMode: 'outputFormat' }),
    ...others,
    ...(model.effort !== null && !isNamed && { [isClaude ? 'effort' : 'reasoningEffort']: model.effort }),
    ...(thinking !== null && { thinking }),
  };
  const providerOptions = { ...optionsByProvider, ...(Object.keys(own).length > 0 && { [key]: own }) };
  return {
    maxOutputTokens: maxTokens - budget,
    ...(model.effort !== null && isNamed && { reasoning: model.effort }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  };
}

/** Tokens: the API's smallest thinking budget, and the reserve for the answer. */
const minThinkingTokens = 1_024;
const minAnswerTokens = 1_024;

/**
 * Lowers the budget to leave room for the answer, or omits thinking. The package adds the budget to the limit of output,
 * so the budget is subtracted from it (L6).
 */
function toClaudeThinking(thinking: Json, maxTokens: number): { readonly thinking: Json; readonly budget: number } {
  if (!isObject(thinking)) return { thinking, budget: 0 };
  const { budget_tokens: snake, budgetTokens: tokens = snake, ...rest } = thinking;
  if (typeof tokens !== 'number') return { thinking, budget: 0 };
  const budget = Math.min(tokens, maxTokens - minAnswerTokens);
  return budget < minThinkingTokens
    ? { thinking: null, budget: 0 }
    : { thinking: { ...rest, budgetTokens: budget }, budget };
}
