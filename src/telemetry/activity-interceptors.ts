/** Temporal's own interceptors for activities, and before them one for chains that were started without a trace. */

import type { Tracer } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { chainIds, contextIn, headerOf } from '../contract/tracing.js';
import type { ChainSpans } from './chain-spans.js';

export function activityInterceptors(tracer: Tracer, spans: ChainSpans): readonly ActivityInterceptorsFactory[] {
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
