/** OpenTelemetry's SDK, set up once in a process, by its own packages and the variables that they read. */

import {
  context,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  type Meter,
  metrics,
  propagation,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as BinaryMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as BinaryTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Histograms } from './call-spans.js';
import { PlannedIdGenerator } from './chain-spans.js';
import { conventionsUrl, metrics as names, suppressErrors } from './conventions.js';
import type { TelemetrySettings } from './settings.js';
import { type Instruments, type WarnFunction, warnOnce } from './telemetry.js';

interface Sdk {
  readonly tracer: Tracer;
  readonly ids: PlannedIdGenerator;
  readonly histograms: Histograms;
  readonly archive: Instruments['recordArchiving'];
  readonly flush: () => Promise<void>;
}

let sharedSdk: Sdk | null = null;

/** The first settings hold for the process: its environment is one. */
export function getSdk(settings: TelemetrySettings, warn: WarnFunction): Sdk {
  sharedSdk ??= createSdk(settings, warn);
  return sharedSdk;
}

function createSdk({ traces, metrics: measured, metricsIntervalMs }: TelemetrySettings, warn: WarnFunction): Sdk {
  reportDiagnostics(warn);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'longhand' }))
    .merge(detectResources({ detectors: [envDetector] }));
  const ids = new PlannedIdGenerator();
  const spanProcessors =
    traces === null ? [] : [new BatchSpanProcessor(traces === 'http/json' ? new JsonTraces() : new BinaryTraces())];
  const tracerProvider = new BasicTracerProvider({ resource, idGenerator: ids, spanProcessors });
  const readers = measured === null ? [] : [createMetricReader(measured, metricsIntervalMs)];
  const meterProvider = new MeterProvider({ resource, readers });
  // What the process has set up by itself stays: each of these does nothing then.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    tracer: tracerProvider.getTracer('longhand', undefined, { schemaUrl: conventionsUrl }),
    ids,
    histograms: createHistograms(meterProvider),
    archive: createArchiveMeters(meterProvider.getMeter('longhand')),
    flush: createFlush(
      () => Promise.allSettled([tracerProvider.forceFlush(), meterProvider.forceFlush()]),
      () =>
        warnOnce(warn, 'The collector does not answer, and not all has been sent: see OTEL_EXPORTER_OTLP_ENDPOINT.'),
    ),
  };
}

function createMetricReader(
  protocol: NonNullable<TelemetrySettings['metrics']>,
  everyMs: number,
): PeriodicExportingMetricReader {
  const exporter = protocol === 'http/json' ? new JsonMetrics() : new BinaryMetrics();
  const exportTimeoutMillis = Math.min(30_000, everyMs);
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: everyMs, exportTimeoutMillis });
}

function createHistograms(provider: MeterProvider): Histograms {
  const meter = provider.getMeter('longhand', undefined, { schemaUrl: conventionsUrl });
  const histogram = ({ name, unit, description, buckets }: (typeof names)[keyof typeof names]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...buckets] } });
  return { tokens: histogram(names.tokens), duration: histogram(names.duration) };
}

/** Reports errors and warnings of OpenTelemetry itself, so that a dead collector is noticed. */
function reportDiagnostics(warn: WarnFunction): void {
  const say: DiagLogFunction = (message, ...details) => warnOnce(warn, [message, ...details.map(String)].join(' '));
  const quiet = () => {};
  const logger = { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Milliseconds that a flush waits: a collector that does not answer must not keep a command from ending. */
const maxFlushMs = 3_000;

/**
 * Waits at most 3 s. After a timeout there is no second wait until something has been sent: a worker and a client of
 * one process end one after the other.
 *
 * @param late called after a timeout
 */
export function createFlush(send: () => Promise<unknown>, late: () => void): () => Promise<void> {
  let patience = maxFlushMs;
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const sent = send().then(() => {
      patience = maxFlushMs;
      return true;
    });
    const waited = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, patience, false);
    });
    const inTime = await Promise.race([sent, waited]);
    clearTimeout(timer);
    if (inTime) return;
    patience = 0;
    late();
  };
}

/** Metrics of archiving: the backlog, the runs archived, the failed attempts. */
function createArchiveMeters(meter: Meter): Instruments['recordArchiving'] {
  const backlog = meter.createGauge('longhand.archive.backlog', {
    unit: '{run}',
    description: 'Closed runs that wait to be archived by this worker.',
  });
  const archived = meter.createCounter('longhand.archive.archived', { unit: '{run}', description: 'Runs archived.' });
  const failed = meter.createCounter('longhand.archive.failed', {
    unit: '{attempt}',
    description: 'Attempts at archiving a run that failed. They are made again.',
  });
  return (news) =>
    suppressErrors(() => {
      if (news.type === 'backlog') backlog.record(news.runs);
      else if (news.type === 'archived') archived.add(1);
      else failed.add(1);
    });
}
