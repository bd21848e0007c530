/** One attempt at a call, of the model or of a tool, as a span; a call of the model is in the histograms, too. */

import { diag, type Histogram, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Chain } from '../core/model/chain.js';
import type { Observation } from '../core/model/fact.js';
import { inputTokens } from '../core/model/usage.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { ofChat, ofTool } from './content.js';
import {
  chatAttributes,
  failed,
  metricAttributes,
  attributes as names,
  operations,
  toolAttributes,
  typeOf,
  unseen,
  usageAttributes,
} from './conventions.js';
import type { ChatCall, ChatResult, ToolCall } from './telemetry.js';

export interface Histograms {
  readonly tokens: Histogram;
  readonly duration: Histogram;
}

interface Measures {
  readonly tracer: Tracer;
  readonly histograms: Histograms;
  /** By which rules content is shown; null where none is recorded. */
  readonly content: VisibilityConfig | null;
}

/** Measures one attempt at a call of the model. */
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

type Run = () => Promise<Observation>;

/** Milliseconds from a call's start that its content may take to be read. */
const longestRead = 2_000;

/** Measures one attempt at a call of a tool. */
export function tool(
  { tracer, content }: Omit<Measures, 'histograms'>,
  call: ToolCall,
  run: Run,
): Promise<Observation> {
  const options = { attributes: toolAttributes(call) };
  return tracer.startActiveSpan(`${operations.tool} ${call.tool}`, options, async (span) => {
    // Read beside the tool's work, which does not begin later for it.
    const chain = content === null ? null : readOf(call);
    const end = async (observation: Observation | null) => {
      const ended = performance.now();
      const read = await chain;
      if (content !== null && read !== null) {
        unseen(() => span.setAttributes(ofTool(read, call.call, observation, content)));
      }
      span.end(ended);
    };
    try {
      const observation = await run();
      await end(observation);
      return observation;
    } catch (error) {
      unseen(() => failed(span, typeOf(error)));
      await end(null);
      throw error;
    }
  });
}

/** Null when it cannot be had, or not in time: a span without content is better than a tool that waits. */
async function readOf(call: ToolCall): Promise<Chain | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longestRead, null);
  });
  try {
    return await Promise.race([call.chain(), late]);
  } catch (error) {
    diag.warn('The content of a call could not be read:', error);
    return null;
  } finally {
    clearTimeout(timer);
  }
}
