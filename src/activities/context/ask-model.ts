/** Asks a model for a tool: one attempt, within its reservation and its time, with the usage checked (L6). */

import { Context } from '@temporalio/activity';
import { countUtf8Bytes, formatCount } from '../../core/lib/index.js';
import {
  type CostPart,
  countPaidBytes,
  defaults,
  describeOverflow,
  type ModelFailure,
  type ModelRequest,
  type ModelSnapshot,
  type ModelUse,
} from '../../core/model/index.js';
import { callAndCheckUsage, type ModelCallResult } from '../../models/index.js';
import type { ModelAnswer, ModelQuestion } from '../../tools/define/index.js';
import type { Dependencies } from './dependencies.js';
import { getProvider } from './get-provider.js';
import { checkModelAccess, createRejection, type RequestOrigin } from './model-access.js';

interface AskedModel {
  readonly answer: ModelAnswer;
  readonly use: Omit<ModelUse, 'part'>;
}

/** The attempt at the tool call. */
export interface AskContext extends RequestOrigin {
  readonly agent: string;
  /** Unique for each attempt at each of the call's questions. */
  readonly id: string;
  /** When the request must have ended, in milliseconds since 1970. */
  readonly endsAt: number;
}

export async function askModel(
  { models, modelAccess, instruments }: Pick<Dependencies, 'models' | 'modelAccess' | 'instruments'>,
  asking: AskContext,
  part: CostPart,
  question: ModelQuestion,
): Promise<AskedModel> {
  const { model, reservation } = part;
  const provider = getProvider(models, model.provider);
  const startedAt = Date.now();
  const timeoutMs = asking.endsAt - startedAt;
  const rejected = checkModelAccess(asking, model, models, modelAccess) ?? checkQuestion(part, question, timeoutMs);
  if (rejected !== null) return toAskedModel({ ok: false, failure: rejected }, provider.name, 0);
  const modelCall = {
    request: toRequest(question),
    model: toModelSnapshot(model, question, timeoutMs),
    maxTokens: Math.min(reservation.outputTokens, question.maxTokens ?? reservation.outputTokens),
  };
  const { info, cancellationSignal: signal } = Context.current();
  const { agent, requester } = asking;
  const chainId = info.workflowExecution?.workflowId ?? '';
  const measured = { chain: null, chainId, agent, provider: provider.name };
  const result = await instruments.measureModelCall({ ...measured, modelCall }, () =>
    callAndCheckUsage(provider, modelCall, reservation, {
      signal,
      caller: { agent, chainId, tenant: requester.tenant },
      spent: { id: asking.id, ticket: asking.id, reserved: reservation, patience: 'wait' },
      ...(question.onText === undefined ? {} : { onText: question.onText }),
    }),
  );
  return toAskedModel(result, provider.name, Math.max(0, Date.now() - startedAt));
}

/** The chain reserved for the tool of its start: on this worker, its instructions may be longer. */
function checkQuestion(part: CostPart, { system, prompt }: ModelQuestion, timeoutMs: number): ModelFailure | null {
  const bytes = countUtf8Bytes(system) + countUtf8Bytes(prompt);
  const paid = countPaidBytes(part.reservation);
  if (bytes > paid) {
    return createRejection(
      'too_large',
      `the request has ${formatCount(bytes)} bytes, and ${formatCount(paid)} are reserved: the instructions of the tool are longer than when the chain started. Start the chain again to use them`,
    );
  }
  const overflow = describeOverflow(part, bytes);
  if (overflow !== null) return createRejection('context_overflow', overflow);
  return timeoutMs > 0 ? null : createRejection('timeout', 'no time was left to ask it');
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
  { temperature }: ModelQuestion,
  timeoutMs: number,
): ModelSnapshot {
  return {
    ...{ name, provider, id, price, maxTokens, contextTokens, timeoutMs },
    temperature: temperature ?? null,
    compactAt: 1,
    effort: null,
    thinking: null,
    stopSequences: [],
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
