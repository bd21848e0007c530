/** Telemetry that is on. Loaded only then. */

import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { activityInterceptors } from './activity-interceptors.js';
import { ChainSpans } from './chain-spans.js';
import { quietTracer } from './quiet-tracer.js';
import { sdkOf } from './sdk.js';
import type { Settings } from './settings.js';
import { instrumentsOf } from './spans.js';
import type { Redact, Telemetry } from './telemetry.js';

export function openTelemetry(settings: Settings, redact: Redact | null): Telemetry {
  const { tracer, ids, histograms, flush } = sdkOf(settings);
  const spans = new ChainSpans(tracer, ids);
  const quiet = quietTracer(tracer);
  return {
    instruments: instrumentsOf({ tracer, histograms, redact: settings.content ? redact : null }),
    client: [new OpenTelemetryWorkflowClientInterceptor({ tracer: quiet })],
    activity: activityInterceptors(quiet, spans),
    chainEnded: (chainId, end) => spans.ended(chainId, end),
    flush,
  };
}
