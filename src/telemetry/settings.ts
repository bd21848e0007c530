/**
 * Reads the `OTEL_*` variables for Longhand's own exporters, which read endpoint and headers themselves, and for
 * Temporal's worker metrics, which go to the same collector.
 */

type Environment = Readonly<Record<string, string | undefined>>;

type Signal = 'TRACES' | 'METRICS';
type Protocol = 'http/protobuf' | 'http/json';

export interface TelemetrySettings {
  /** Protocol of each signal; null if it is not sent. */
  readonly traces: Protocol | null;
  readonly metrics: Protocol | null;
  /** Milliseconds between two exports of metrics. */
  readonly metricsIntervalMs: number;
  /** Whether to record the content of model calls and tool calls. */
  readonly capturesContent: boolean;
  /** Settings that cannot be applied, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads the settings; null if nothing is sent: telemetry is off without an endpoint. */
export function readSettings(env: Environment): TelemetrySettings | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const signals = (['TRACES', 'METRICS'] as const).filter((signal) => isEnabled(env, signal));
  const problems = signals.flatMap((signal) => listProblems(env, signal));
  const protocol = (signal: Signal) =>
    signals.includes(signal) && listProblems(env, signal).length === 0 ? toProtocol(env, signal) : null;
  if (signals.length === 0) return null;
  return {
    traces: protocol('TRACES'),
    metrics: protocol('METRICS'),
    metricsIntervalMs: Number(env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000,
    capturesContent: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true',
    problems,
  };
}

function isEnabled(env: Environment, signal: Signal): boolean {
  const endpoint = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporters = (env[`OTEL_${signal}_EXPORTER`] || 'otlp').split(',').map((name) => name.trim());
  return !!endpoint && exporters.includes('otlp');
}

function toProtocol(env: Environment, signal: Signal): Protocol {
  return getRequestedProtocol(env, signal) === 'http/json' ? 'http/json' : 'http/protobuf';
}

function listProblems(env: Environment, signal: Signal): readonly string[] {
  const protocol = getRequestedProtocol(env, signal);
  if (protocol === 'http/json' || protocol === 'http/protobuf') return [];
  const remedy = 'Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and its port (usually 4318).';
  return [`${signal.toLowerCase()} are not sent: OTLP over ${protocol} is not supported. ${remedy}`];
}

function getRequestedProtocol(env: Environment, signal: Signal): string {
  return env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
}

interface TemporalMetrics {
  readonly metrics?: {
    readonly otel: {
      readonly url: string;
      readonly http: true;
      readonly headers: Record<string, string>;
      readonly metricsExportInterval: number;
    };
  };
}

/**
 * Returns `telemetryOptions` for Temporal's runtime; empty unless metrics are sent as protobuf. They include
 * `temporal_workflow_task_execution_failed`, the only sign of chains that no worker can advance.
 */
export function toTemporalMetrics(env: Readonly<Record<string, string | undefined>>): TemporalMetrics {
  const settings = readSettings(env);
  if (settings?.metrics !== 'http/protobuf') return {};
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const url = own || `${(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '').replace(/\/$/, '')}/v1/metrics`;
  const headers = {
    ...parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS),
    ...parseHeaders(env.OTEL_EXPORTER_OTLP_METRICS_HEADERS),
  };
  return { metrics: { otel: { url, http: true, headers, metricsExportInterval: settings.metricsIntervalMs } } };
}

/** `name=value,other=value`, each percent-encoded. */
function parseHeaders(list = ''): Record<string, string> {
  const pairs = list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeValue(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
