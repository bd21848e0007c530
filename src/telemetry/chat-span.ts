/** One attempt at a call of the model, as a span and in the histograms. */

import { type Histogram, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import { inputTokens } from '../core/model/usage.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { ofChat } from './content.js';
import { attributes as names, operations } from './conventions.js';
import type { ChatCall, ChatResult } from './instruments.js';
import { chatAttributes, failed, metricAttributes, typeOf, unseen, usageAttributes } from './span-attributes.js';

export interface Histograms {
  readonly tokens: Histogram;
  readonly duration: Histogram;
}

export interface Measures {
  readonly tracer: Tracer;
  readonly histograms: Histograms;
  /** By which rules content is shown; null where none is recorded. */
  readonly content: VisibilityConfig | null;
}

export function chat<R extends ChatResult>(measures: Measures, call: ChatCall, send: () => Promise<R>): Promise<R> {
  const options = { kind: SpanKind.CLIENT, attributes: chatAttributes(call) };
  return measures.tracer.startActiveSpan(`${operations.chat} ${call.asked.model.name}`, options, async (span) => {
    const began = performance.now();
    const end = (result: ChatResult | null, errorType: string | null) => {
      const ended = performance.now();
      unseen(() => measure(measures, span, call, { result, errorType, seconds: (ended - began) / 1_000 }));
      unseen(() => tell(measures, span, call, result));
      span.end(ended);
    };
    try {
      const result = await send();
      end(result, result.ok ? null : result.failure.kind);
      return result;
    } catch (error) {
      end(null, typeOf(error));
      throw error;
    }
  });
}

interface Ended {
  readonly result: ChatResult | null;
  readonly errorType: string | null;
  readonly seconds: number;
}

function measure({ histograms }: Measures, span: Span, call: ChatCall, { result, errorType, seconds }: Ended): void {
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
  histograms.duration.record(seconds, { ...of, ...(errorType === null ? {} : { [names.errorType]: errorType }) });
}

function tell({ content }: Measures, span: Span, { chain, asked }: ChatCall, result: ChatResult | null): void {
  if (content === null) return;
  span.setAttributes(ofChat(chain, asked.request.system, result?.ok ? result.reply : null, content));
}
