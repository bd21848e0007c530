/** Telemetry that is on, with Temporal's own interceptors. Loaded only then. */

import type { Span, Tracer } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { chainIds, contextIn, headerOf } from '../contract/tracing.js';
import { chat, tool } from './call-spans.js';
import { ChainSpans } from './chain-spans.js';
import { sdkOf } from './sdk.js';
import type { Settings } from './settings.js';
import type { Telemetry, TelemetryOptions } from './telemetry.js';

export function openTelemetry(settings: Settings, { visibility, warn }: Required<TelemetryOptions>): Telemetry {
  const { tracer, ids, histograms, archive, flush } = sdkOf(settings, warn);
  const spans = new ChainSpans(tracer, ids);
  const measures = { tracer, histograms, content: settings.content ? visibility : null };
  const quiet = quietTracer(tracer);
  return {
    instruments: {
      chat: (call, send) => chat(measures, call, send),
      tool: (call, run) => tool(measures, call, run),
      archive,
    },
    client: [new OpenTelemetryWorkflowClientInterceptor({ tracer: quiet })],
    activity: activityInterceptors(quiet, spans),
    chainEnded: (chainId, end) => spans.ended(chainId, end),
    flush,
  };
}

/** Temporal's own interceptors for activities, and before them one for chains that were started without a trace. */
function activityInterceptors(tracer: Tracer, spans: ChainSpans): readonly ActivityInterceptorsFactory[] {
  return [
    (activity) => ({ inbound: belowChain(activity, spans) }),
    (activity) => ({
      inbound: new OpenTelemetryActivityInboundInterceptor(activity, { tracer }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(activity),
    }),
  ];
}

function belowChain({ info }: ActivityContext, spans: ChainSpans): ActivityInboundCallsInterceptor {
  return {
    execute: (input, next) => {
      const { workflowExecution } = info;
      if (workflowExecution === undefined || contextIn(input.headers) !== null) return next(input);
      const { traceId, spanId, traceFlags } = spans.contextOf(chainIds(workflowExecution.runId));
      const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      return next({ ...input, headers: { ...input.headers, ...headerOf({ traceparent }) } });
    },
  };
}

/**
 * A tracer for code that is not ours: its spans have a status, and no text. Temporal's interceptors record each failure with
 * its message and stack, and a tool's message may hold anything.
 */
function quietTracer(tracer: Tracer): Tracer {
  return {
    startSpan: (...given) => silence(tracer.startSpan(...given)),
    // The three forms of this differ in how many arguments come before the function.
    startActiveSpan: (...given: unknown[]) => {
      const body = given.pop() as (span: Span) => unknown;
      const start = tracer.startActiveSpan.bind(tracer) as (...args: unknown[]) => never;
      return start(...given, (span: Span) => body(silence(span)));
    },
  };
}

function silence(span: Span): Span {
  const setStatus = span.setStatus.bind(span);
  span.setStatus = ({ code }) => setStatus({ code });
  span.recordException = () => {};
  return span;
}
