/** Enabled telemetry, with Temporal's own interceptors. Loaded only on request. */

import type { Span, Tracer } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { findTraceContext, toChainTraceIds, toTraceHeaders } from '../contract/index.js';
import { measureModelCall, measureToolCall } from './call-spans.js';
import { ChainSpans } from './chain-spans.js';
import { ownAttributes, suppressErrors } from './conventions.js';
import { getSdk } from './sdk.js';
import type { TelemetrySettings } from './settings.js';
import type { Telemetry, TelemetryOptions } from './telemetry.js';

export function createOpenTelemetry(
  settings: TelemetrySettings,
  { visibility, warn }: Required<TelemetryOptions>,
): Telemetry {
  const { tracer, ids, histograms, archive, fold, budgetAlert, observeHeldChains, flush } = getSdk(settings, warn);
  const spans = new ChainSpans(tracer, ids);
  const measures = { tracer, histograms, content: settings.capturesContent ? visibility : null };
  const quiet = createQuietTracer(tracer);
  return {
    instruments: {
      measureModelCall: (call, send) => measureModelCall(measures, call, send),
      measureToolCall: (call, run) => measureToolCall(measures, call, run),
      recordArchiving: archive,
      recordFold: fold,
      recordBudgetAlert: budgetAlert,
      recordLoopBlock: ({ ms, operation }) =>
        suppressErrors(() =>
          histograms.blocked.record(ms / 1_000, operation === null ? {} : { [ownAttributes.operation]: operation }),
        ),
    },
    client: [new OpenTelemetryWorkflowClientInterceptor({ tracer: quiet })],
    activity: createActivityInterceptors(quiet, spans),
    chainEnded: (ended) => spans.recordEnd(ended),
    observeHeldChains,
    flush,
  };
}

/** Returns Temporal's interceptors for activities, after one that gives chains without a trace a parent. */
function createActivityInterceptors(tracer: Tracer, spans: ChainSpans): readonly ActivityInterceptorsFactory[] {
  return [
    (activity) => ({ inbound: createParentInterceptor(activity, spans) }),
    (activity) => ({
      inbound: new OpenTelemetryActivityInboundInterceptor(activity, { tracer }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(activity),
    }),
  ];
}

function createParentInterceptor({ info }: ActivityContext, spans: ChainSpans): ActivityInboundCallsInterceptor {
  return {
    execute: (input, next) => {
      const { workflowExecution } = info;
      if (workflowExecution === undefined || findTraceContext(input.headers) !== null) return next(input);
      const { traceId, spanId, traceFlags } = spans.getContext(toChainTraceIds(workflowExecution.runId));
      const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      return next({ ...input, headers: { ...input.headers, ...toTraceHeaders({ traceparent }) } });
    },
  };
}

/**
 * Wraps a tracer for code of other packages: its spans have a status but no text. Temporal's interceptors record failures with
 * message and stack, and a tool's message may contain anything.
 */
function createQuietTracer(tracer: Tracer): Tracer {
  return {
    startSpan: (...args) => removeErrorContent(tracer.startSpan(...args)),
    // Three overloads: the function is the last argument.
    startActiveSpan: (...args: unknown[]) => {
      const body = args.pop() as (span: Span) => unknown;
      const start = tracer.startActiveSpan.bind(tracer) as (...args: unknown[]) => never;
      return start(...args, (span: Span) => body(removeErrorContent(span)));
    },
  };
}

function removeErrorContent(span: Span): Span {
  const setStatus = span.setStatus.bind(span);
  span.setStatus = ({ code }) => setStatus({ code });
  span.recordException = () => {};
  return span;
}
