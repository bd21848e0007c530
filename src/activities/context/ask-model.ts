/** Asks a model for a tool: one attempt, with the usage checked (L6). */

import { Context } from '@temporalio/activity';
import type { ModelSnapshot } from '../../core/model/agent.js';
import type { CostPart, ModelUse } from '../../core/model/call-cost.js';
import { defaults } from '../../core/model/defaults.js';
import type { ModelRequest } from '../../core/model/model.js';
import type { ModelCallResult } from '../../models/wire/provider.js';
import type { ModelAnswer, ModelQuestion } from '../../tools/define/call-models.js';
import { callAndCheckUsage } from './check-usage.js';
import type { Dependencies } from './dependencies.js';
import { getProvider } from './get-provider.js';
import { checkModelAccess, type RequestOrigin } from './model-access.js';

interface AskedModel {
  readonly answer: ModelAnswer;
  readonly use: Omit<ModelUse, 'part'>;
}

export async function askModel(
  { models, modelAccess }: Pick<Dependencies, 'models' | 'modelAccess'>,
  origin: RequestOrigin,
  { model, reservation }: CostPart,
  question: ModelQuestion,
): Promise<AskedModel> {
  const provider = getProvider(models, model.provider);
  const call = {
    request: toRequest(question),
    model: toModelSnapshot(model, question),
    maxTokens: reservation.outputTokens,
  };
  const rejected = checkModelAccess(origin, model, models, modelAccess);
  if (rejected !== null) return toAskedModel({ ok: false, failure: rejected }, provider.name, 0);
  const startedAt = Date.now();
  const result = await callAndCheckUsage(provider, call, reservation, { signal: Context.current().cancellationSignal });
  return toAskedModel(result, provider.name, Math.max(0, Date.now() - startedAt));
}

function toRequest({ system, prompt }: ModelQuestion): ModelRequest {
  return {
    system,
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    tools: [],
    toolChoice: 'none',
    stopSequences: [],
  };
}

/** Options of the agent's own model do not apply to models that its tools ask. */
function toModelSnapshot(
  { name, provider, id, price, maxTokens, contextTokens }: CostPart['model'],
  { temperature = null }: { readonly temperature?: number | null },
): ModelSnapshot {
  return {
    ...{ name, provider, id, price, maxTokens, contextTokens, temperature },
    compactAt: 1,
    effort: null,
    thinking: null,
    stopSequences: [],
    timeoutMs: defaults.modelTimeoutMs,
    heartbeatMs: defaults.modelHeartbeatMs,
    retry: { attempts: 1, forMs: 0, maxIntervalMs: 0 },
    onProviderError: 'fail',
  };
}

function toAskedModel(result: ModelCallResult, provider: string, durationMs: number): AskedModel {
  if (!result.ok) {
    const { kind, message, settle, usage } = result.failure;
    const use = { model: null, provider, settle, usage, durationMs, failure: kind };
    return { answer: { ok: false, kind, message }, use };
  }
  const { model, usage, content, stopReason } = result.reply;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const settle = usage === null ? ('reservation' as const) : ('usage' as const);
  return { answer: { ok: true, text, stopReason }, use: { model, provider, settle, usage, durationMs } };
}
