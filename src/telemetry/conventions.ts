/**
 * Names of OpenTelemetry's GenAI conventions, version 1.41.0 of the semantic conventions, and the attributes of spans
 * and histograms.
 *
 * We define the names ourselves: they are still in development, and a package that renames one would break users'
 * dashboards. A new version is a change here and an entry in the changelog.
 */

import { type Attributes, diag, type Span, SpanStatusCode } from '@opentelemetry/api';
import { findErrorName } from '../core/lib/index.js';
import { countInputTokens, type Usage } from '../core/model/index.js';
import type { MeasuredModelCall, MeasuredToolCall } from './telemetry.js';

export const conventionsUrl = 'https://opentelemetry.io/schemas/1.41.0';

export const operations = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const;

export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  prompt: 'gen_ai.prompt.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestTemperature: 'gen_ai.request.temperature',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** All input tokens, including those read from a cache. */
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
} as const;

/** Recorded only on request. */
export const contentAttributes = {
  system: 'gen_ai.system_instructions',
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** Not part of the conventions: the outcome of a chain; the version of its agent's prompt; whether a reply is from the cache; the operation that blocked the event loop; the source of a fold. */
export const ownAttributes = {
  outcome: 'longhand.outcome',
  promptVersion: 'longhand.prompt.version',
  cached: 'longhand.cached',
  operation: 'longhand.operation',
  source: 'longhand.source',
  window: 'longhand.window',
} as const;

export const metrics = {
  tokens: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Tokens that a call used',
    buckets: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
  },
  duration: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'How long a call took',
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
  blocked: {
    name: 'longhand.loop.blocked',
    unit: 's',
    description: 'How long the event loop of the process was blocked, where it was over 0.2 s',
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32],
  },
} as const;

export function toChatAttributes(call: MeasuredModelCall): Attributes {
  const { maxTokens, model } = call.modelCall;
  const agent = call.chain?.state.agent;
  return {
    ...toMetricAttributes(call),
    [attributes.conversation]: call.chainId,
    [attributes.agent]: call.agent,
    ...toVersionAttributes(agent?.version ?? null),
    ...(agent?.prompt === undefined
      ? {}
      : { [attributes.prompt]: agent.prompt.name, [ownAttributes.promptVersion]: agent.prompt.version }),
    [attributes.requestMaxTokens]: maxTokens,
    ...(model.temperature === null ? {} : { [attributes.requestTemperature]: model.temperature }),
  };
}

export function toVersionAttributes(version: string | null): Attributes {
  return version === null ? {} : { [attributes.agentVersion]: version };
}

/** Low cardinality: without the chain. */
export function toMetricAttributes({ provider, modelCall, cached }: MeasuredModelCall): Attributes {
  return {
    [attributes.operation]: operations.chat,
    [attributes.provider]: provider,
    [attributes.requestModel]: modelCall.model.id,
    ...(cached === undefined ? {} : { [ownAttributes.cached]: cached }),
  };
}

export function toToolAttributes({ chainId, agent, tool, call }: MeasuredToolCall): Attributes {
  return {
    [attributes.operation]: operations.tool,
    [attributes.conversation]: chainId,
    [attributes.agent]: agent,
    [attributes.tool]: tool,
    [attributes.toolCall]: call,
    [attributes.toolType]: 'function',
  };
}

export function toUsageAttributes(usage: Usage): Attributes {
  return {
    [attributes.inputTokens]: countInputTokens(usage),
    [attributes.outputTokens]: usage.output,
    [attributes.cacheReadTokens]: usage.cacheRead,
    [attributes.cacheWriteTokens]: usage.cacheWrite,
  };
}

/** Marks a span as failed, with the error's type only: its message is content. */
export function markFailed(span: Span, errorType: string): void {
  span.setAttribute(attributes.errorType, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function getErrorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const name = findErrorName(error) ?? 'Error';
  // The type of an ApplicationFailure is chosen in code; the same member of another error may be data.
  return name === 'ApplicationFailure' && 'type' in error && typeof error.type === 'string' ? error.type : name;
}

/** Runs a measurement; its failure does not affect the chain. */
export function suppressErrors(measure: () => void): void {
  try {
    measure();
  } catch (error) {
    diag.warn('Cannot measure a call:', error);
  }
}
