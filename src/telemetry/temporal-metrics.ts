/**
 * Where Temporal's own metrics of a worker go: to the collector that Longhand's go to. Among them is
 * `temporal_workflow_task_execution_failed`, the one sign of chains that no worker can advance.
 */

import { readSettings } from './settings.js';

export interface TemporalMetrics {
  readonly metrics?: {
    readonly otel: {
      readonly url: string;
      readonly http: true;
      readonly headers: Record<string, string>;
      readonly metricsExportInterval: number;
    };
  };
}

/** Options for the `telemetryOptions` of Temporal's runtime; empty where no metrics are to be sent as protobuf. */
export function temporalMetrics(env: Readonly<Record<string, string | undefined>>): TemporalMetrics {
  const settings = readSettings(env);
  if (settings?.metrics !== 'http/protobuf') return {};
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const url = own || `${(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '').replace(/\/$/, '')}/v1/metrics`;
  const headers = {
    ...headersIn(env.OTEL_EXPORTER_OTLP_HEADERS),
    ...headersIn(env.OTEL_EXPORTER_OTLP_METRICS_HEADERS),
  };
  return { metrics: { otel: { url, http: true, headers, metricsExportInterval: settings.metricsEveryMs } } };
}

/** `name=value,other=value`, each percent-encoded. */
function headersIn(list = ''): Record<string, string> {
  const pairs = list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
