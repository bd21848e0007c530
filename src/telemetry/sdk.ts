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
import { PlannedIds } from './chain-spans.js';
import { conventionsUrl, metrics as names, unseen } from './conventions.js';
import type { Settings } from './settings.js';
import { type Instruments, sayOnce, type Warn } from './telemetry.js';

interface Sdk {
  readonly tracer: Tracer;
  readonly ids: PlannedIds;
  readonly histograms: Histograms;
  readonly archive: Instruments['archive'];
  readonly flush: () => Promise<void>;
}

let made: Sdk | null = null;

/** The first settings hold for the process: its environment is one. */
export function sdkOf(settings: Settings, warn: Warn): Sdk {
  made ??= setUp(settings, warn);
  return made;
}

function setUp({ traces, metrics: measured, metricsEveryMs }: Settings, warn: Warn): Sdk {
  speakUp(warn);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'longhand' }))
    .merge(detectResources({ detectors: [envDetector] }));
  const ids = new PlannedIds();
  const spanProcessors =
    traces === null ? [] : [new BatchSpanProcessor(traces === 'http/json' ? new JsonTraces() : new BinaryTraces())];
  const tracerProvider = new BasicTracerProvider({ resource, idGenerator: ids, spanProcessors });
  const readers = measured === null ? [] : [reader(measured, metricsEveryMs)];
  const meterProvider = new MeterProvider({ resource, readers });
  // What the process has set up by itself stays: each of these does nothing then.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    tracer: tracerProvider.getTracer('longhand', undefined, { schemaUrl: conventionsUrl }),
    ids,
    histograms: histogramsOf(meterProvider),
    archive: archiveMeters(meterProvider.getMeter('longhand')),
    flush: patiently(
      () => Promise.allSettled([tracerProvider.forceFlush(), meterProvider.forceFlush()]),
      () => sayOnce(warn, 'The collector does not answer, and not all has been sent: see OTEL_EXPORTER_OTLP_ENDPOINT.'),
    ),
  };
}

function reader(protocol: NonNullable<Settings['metrics']>, everyMs: number): PeriodicExportingMetricReader {
  const exporter = protocol === 'http/json' ? new JsonMetrics() : new BinaryMetrics();
  const exportTimeoutMillis = Math.min(30_000, everyMs);
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: everyMs, exportTimeoutMillis });
}

function histogramsOf(provider: MeterProvider): Histograms {
  const meter = provider.getMeter('longhand', undefined, { schemaUrl: conventionsUrl });
  const histogram = ({ name, unit, description, buckets }: (typeof names)[keyof typeof names]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...buckets] } });
  return { tokens: histogram(names.tokens), duration: histogram(names.duration) };
}

/** Reports errors and warnings of OpenTelemetry itself, so that a dead collector is noticed. */
function speakUp(warn: Warn): void {
  const say: DiagLogFunction = (message, ...details) => sayOnce(warn, [message, ...details.map(String)].join(' '));
  const quiet = () => {};
  const logger = { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Milliseconds that a flush waits: a collector that does not answer must not keep a command from ending. */
const longest = 3_000;

/**
 * Waits at most 3 s. After a timeout there is no second wait until something has been sent: a worker and a client of
 * one process end one after the other.
 *
 * @param late called after a timeout
 */
export function patiently(send: () => Promise<unknown>, late: () => void): () => Promise<void> {
  let patience = longest;
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const sent = send().then(() => {
      patience = longest;
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
function archiveMeters(meter: Meter): Instruments['archive'] {
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
    unseen(() => {
      if (news.type === 'backlog') backlog.record(news.runs);
      else if (news.type === 'archived') archived.add(1);
      else failed.add(1);
    });
}
