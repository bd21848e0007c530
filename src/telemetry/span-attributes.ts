/** What spans and histograms say, in the conventions' words. */

import { type Attributes, diag, type Span, SpanStatusCode } from '@opentelemetry/api';
import { errorName } from '../core/lib/error-name.js';
import type { Usage } from '../core/model/model.js';
import { inputTokens } from '../core/model/usage.js';
import { attributes as names, operations } from './conventions.js';
import type { ChatCall, ToolCall } from './instruments.js';

export function chatAttributes(call: ChatCall): Attributes {
  const { maxTokens, model } = call.asked;
  return {
    ...metricAttributes(call),
    [names.conversation]: call.chain.state.chainId,
    [names.agent]: call.agent,
    [names.requestMaxTokens]: maxTokens,
    ...(model.temperature === null ? {} : { [names.requestTemperature]: model.temperature }),
  };
}

/** Few values each: the chain is not among them. */
export function metricAttributes({ provider, asked }: ChatCall): Attributes {
  return { [names.operation]: operations.chat, [names.provider]: provider, [names.requestModel]: asked.model.name };
}

export function toolAttributes({ chainId, agent, tool, call }: ToolCall): Attributes {
  return {
    [names.operation]: operations.tool,
    [names.conversation]: chainId,
    [names.agent]: agent,
    [names.tool]: tool,
    [names.toolCall]: call,
    [names.toolType]: 'function',
  };
}

export function usageAttributes(usage: Usage): Attributes {
  return {
    [names.inputTokens]: inputTokens(usage),
    [names.outputTokens]: usage.output,
    [names.cacheReadTokens]: usage.cacheRead,
    [names.cacheWriteTokens]: usage.cacheWrite,
  };
}

/** By its kind alone: what it says in words is content. */
export function failed(span: Span, errorType: string): void {
  span.setAttribute(names.errorType, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const name = errorName(error) ?? 'Error';
  // Its type is chosen where it is made; the member of any other error may be data.
  return name === 'ApplicationFailure' && 'type' in error && typeof error.type === 'string' ? error.type : name;
}

/** Whatever fails in measuring does not reach the chain. */
export function unseen(measure: () => void): void {
  try {
    measure();
  } catch (error) {
    diag.warn('A call could not be measured:', error);
  }
}
