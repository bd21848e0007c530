/** Records each attempt at a model call or tool call as a span; model calls also in histograms. */

import { diag, type Histogram, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import { type Chain, countInputTokens, type Observation } from '../core/model/index.js';
import type { VisibilityConfig } from '../core/view/index.js';
import { withTimeout } from '../timing/index.js';
import { toChatContent, toToolContent } from './content.js';
import {
  getErrorType,
  markFailed,
  attributes as names,
  operations,
  suppressErrors,
  toChatAttributes,
  toMetricAttributes,
  toToolAttributes,
  toUsageAttributes,
} from './conventions.js';
import type { MeasuredModelCall, MeasuredResult, MeasuredToolCall } from './telemetry.js';

export interface Histograms {
  readonly tokens: Histogram;
  readonly duration: Histogram;
  readonly blocked: Histogram;
}

interface MeasureContext {
  readonly tracer: Tracer;
  readonly histograms: Histograms;
  /** Visibility rules for content; null if no content is recorded. */
  readonly content: VisibilityConfig | null;
}

/** Measures one attempt at a model call. */
export function measureModelCall<R extends MeasuredResult>(
  measures: MeasureContext,
  call: MeasuredModelCall,
  send: () => Promise<R>,
): Promise<R> {
  const options = { kind: SpanKind.CLIENT, attributes: toChatAttributes(call) };
  return measures.tracer.startActiveSpan(`${operations.chat} ${call.modelCall.model.id}`, options, async (span) => {
    const began = performance.now();
    const end = (result: MeasuredResult | null, errorType: string | null) => {
      const ended = performance.now();
      suppressErrors(() =>
        recordMetrics(measures, span, call, { result, errorType, seconds: (ended - began) / 1_000 }),
      );
      suppressErrors(() => recordContent(measures, span, call, result));
      span.end(ended);
    };
    try {
      const result = await send();
      end(result, result.ok ? null : result.failure.kind);
      return result;
    } catch (error) {
      end(null, getErrorType(error));
      throw error;
    }
  });
}

interface CallEnd {
  readonly result: MeasuredResult | null;
  readonly errorType: string | null;
  readonly seconds: number;
}

function recordMetrics(
  { histograms }: MeasureContext,
  span: Span,
  call: MeasuredModelCall,
  { result, errorType, seconds }: CallEnd,
): void {
  const usage = result === null ? null : result.ok ? result.reply.usage : result.failure.usage;
  const model = result?.ok ? { [names.responseModel]: result.reply.model } : {};
  const attributes = { ...toMetricAttributes(call), ...model };
  if (usage !== null) {
    span.setAttributes(toUsageAttributes(usage));
    histograms.tokens.record(countInputTokens(usage), { ...attributes, [names.tokenType]: 'input' });
    histograms.tokens.record(usage.output, { ...attributes, [names.tokenType]: 'output' });
  }
  if (result?.ok) span.setAttributes({ ...model, [names.finishReasons]: [result.reply.stopReason] });
  if (errorType !== null) markFailed(span, errorType);
  histograms.duration.record(seconds, {
    ...attributes,
    ...(errorType === null ? {} : { [names.errorType]: errorType }),
  });
}

function recordContent(
  { content }: MeasureContext,
  span: Span,
  { chain, modelCall }: MeasuredModelCall,
  result: MeasuredResult | null,
): void {
  if (content === null || chain === null) return;
  span.setAttributes(toChatContent(chain, modelCall.request.system, result?.ok ? result.reply : null, content));
}

type ExecuteTool = () => Promise<Observation>;

/** Most milliseconds from a call's start to read its chain for content. */
const maxReadMs = 2_000;

/** Measures one attempt at a tool call. */
export function measureToolCall(
  { tracer, content }: Omit<MeasureContext, 'histograms'>,
  call: MeasuredToolCall,
  run: ExecuteTool,
): Promise<Observation> {
  const options = { attributes: toToolAttributes(call) };
  return tracer.startActiveSpan(`${operations.tool} ${call.tool}`, options, async (span) => {
    // Read in parallel: the tool does not wait for it.
    const chain = content === null ? null : findChain(call);
    const end = async (observation: Observation | null) => {
      const ended = performance.now();
      const read = await chain;
      if (content !== null && read !== null) {
        suppressErrors(() => span.setAttributes(toToolContent(read, call.call, observation, content)));
      }
      span.end(ended);
    };
    try {
      const observation = await run();
      await end(observation);
      return observation;
    } catch (error) {
      suppressErrors(() => markFailed(span, getErrorType(error)));
      await end(null);
      throw error;
    }
  });
}

/** Reads the chain; null on failure or timeout: a span without content is better than a delayed tool. */
async function findChain(call: MeasuredToolCall): Promise<Chain | null> {
  try {
    return (await withTimeout(call.chain(), maxReadMs))?.value ?? null;
  } catch (error) {
    diag.warn('Cannot read the content of a call:', error);
    return null;
  }
}
