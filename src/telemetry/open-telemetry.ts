/** Telemetry that is on. Loaded only then. */

import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { activityInterceptors } from './activity-interceptors.js';
import { ChainSpans } from './chain-spans.js';
import { chat } from './chat-span.js';
import { quietTracer } from './quiet-tracer.js';
import { sdkOf } from './sdk.js';
import type { Settings } from './settings.js';
import type { Telemetry, TelemetryOptions } from './telemetry.js';
import { tool } from './tool-span.js';

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
