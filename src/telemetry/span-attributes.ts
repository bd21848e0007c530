/** The instruments as OpenTelemetry's spans and histograms. Whatever fails in measuring does not reach the chain. */

import {
  type Attributes,
  diag,
  type Histogram,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import type { Usage } from '../core/model.js';
import { inputTokens } from '../core/usage.js';
import { ofArguments, ofReply, ofRequest, ofToolResult } from './content.js';
import { attributes as names, operations } from './conventions.js';
import type { ChatCall, ChatResult, Instruments, ToolCall } from './instruments.js';
import type { Redact } from './telemetry.js';

export interface Histograms {
  readonly tokens: Histogram;
  readonly duration: Histogram;
}

export interface Measures {
  readonly tracer: Tracer;
  readonly histograms: Histograms;
  /** What content passes through; null where none is recorded. */
  readonly redact: Redact | null;
}

export function instrumentsOf(measures: Measures): Instruments {
  const { tracer } = measures;
  return {
    chat: (call, send) => {
      const options = { kind: SpanKind.CLIENT, attributes: chatAttributes(call) };
      return tracer.startActiveSpan(`${operations.chat} ${call.asked.model.name}`, options, (span) =>
        chat(measures, span, call, send),
      );
    },
    tool: (call, run) => {
      const options = { attributes: toolAttributes(call) };
      return tracer.startActiveSpan(`${operations.tool} ${call.tool}`, options, (span) =>
        tool(measures, span, call, run),
      );
    },
  };
}

async function chat<R extends ChatResult>(
  { histograms, redact }: Measures,
  span: Span,
  call: ChatCall,
  send: () => Promise<R>,
): Promise<R> {
  const began = performance.now();
  const end = (result: ChatResult | null, errorType: string | null) =>
    unseen(() => {
      const usage = result === null ? null : result.ok ? result.reply.usage : result.failure.usage;
      const model = result?.ok ? { [names.responseModel]: result.reply.model } : {};
      const of = { ...metricAttributes(call), ...model };
      if (usage !== null) {
        span.setAttributes(usageAttributes(usage));
        histograms.tokens.record(inputTokens(usage), { ...of, [names.tokenType]: 'input' });
        histograms.tokens.record(usage.output, { ...of, [names.tokenType]: 'output' });
      }
      if (result?.ok) span.setAttributes({ ...model, [names.finishReasons]: [result.reply.stopReason] });
      if (errorType !== null) failed(span, errorType);
      const error = errorType === null ? {} : { [names.errorType]: errorType };
      histograms.duration.record((performance.now() - began) / 1_000, { ...of, ...error });
      if (redact !== null) span.setAttributes(ofRequest(call.asked.request, redact));
      if (redact !== null && result?.ok) span.setAttributes(ofReply(result.reply, redact));
    });
  try {
    const result = await send();
    end(result, result.ok ? null : result.failure.kind);
    return result;
  } catch (error) {
    end(null, typeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

async function tool<T>({ redact }: Measures, span: Span, call: ToolCall, run: () => Promise<T>): Promise<T> {
  if (redact !== null) unseen(() => span.setAttributes(ofArguments(call.input, redact)));
  try {
    const value = await run();
    if (redact !== null) unseen(() => span.setAttributes(ofToolResult(value, redact)));
    return value;
  } catch (error) {
    unseen(() => failed(span, typeOf(error)));
    throw error;
  } finally {
    span.end();
  }
}

function chatAttributes(call: ChatCall): Attributes {
  const { maxTokens, model } = call.asked;
  return {
    ...metricAttributes(call),
    ...whose(call),
    [names.requestMaxTokens]: maxTokens,
    ...(model.temperature === null ? {} : { [names.requestTemperature]: model.temperature }),
  };
}

/** Few values each: the chain is not among them. */
function metricAttributes({ provider, asked }: ChatCall): Attributes {
  return { [names.operation]: operations.chat, [names.provider]: provider, [names.requestModel]: asked.model.name };
}

function toolAttributes(call: ToolCall): Attributes {
  return {
    [names.operation]: operations.tool,
    ...whose(call),
    [names.tool]: call.tool,
    [names.toolCall]: call.call,
    [names.toolType]: 'function',
  };
}

function whose({ chainId, agent }: ChatCall | ToolCall): Attributes {
  return { [names.conversation]: chainId, [names.agent]: agent };
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

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}

function unseen(measure: () => void): void {
  try {
    measure();
  } catch (error) {
    diag.warn('A call could not be measured:', error);
  }
}
