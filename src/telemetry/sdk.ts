/** Sets up OpenTelemetry's SDK once per process, with its own packages and environment variables. */

import {
  context,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  type Meter,
  metrics,
  type ObservableCallback,
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
import { withTimeout } from '../timing/index.js';
import type { Histograms } from './call-spans.js';
import { PlannedIdGenerator } from './chain-spans.js';
import { conventionsUrl, metrics as names, ownAttributes, suppressErrors } from './conventions.js';
import type { TelemetrySettings } from './settings.js';
import { type Instruments, type Telemetry, type WarnFunction, warnOnce } from './telemetry.js';

interface Sdk {
  readonly tracer: Tracer;
  readonly ids: PlannedIdGenerator;
  readonly histograms: Histograms;
  readonly archive: Instruments['recordArchiving'];
  readonly fold: Instruments['recordFold'];
  readonly budgetAlert: Instruments['recordBudgetAlert'];
  readonly observeHeldChains: Telemetry['observeHeldChains'];
  readonly flush: () => Promise<void>;
}

let sharedSdk: Sdk | null = null;

/** Returns the process's SDK; the first settings apply. */
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
  // Each of these does nothing if the process has set its own.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    tracer: tracerProvider.getTracer('longhand', undefined, { schemaUrl: conventionsUrl }),
    ids,
    histograms: createHistograms(meterProvider),
    archive: createArchiveMeters(meterProvider.getMeter('longhand')),
    fold: createFoldMeters(meterProvider.getMeter('longhand')),
    budgetAlert: createAlertMeter(meterProvider.getMeter('longhand')),
    observeHeldChains: createHeldGauge(meterProvider.getMeter('longhand')),
    flush: createFlush(
      () => Promise.allSettled([tracerProvider.forceFlush(), meterProvider.forceFlush()]),
      () => warnOnce(warn, 'The collector does not answer; some data was not sent. Check OTEL_EXPORTER_OTLP_ENDPOINT.'),
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
  return {
    tokens: histogram(names.tokens),
    duration: histogram(names.duration),
    blocked: histogram(names.blocked),
  };
}

/** Reports errors and warnings of OpenTelemetry itself, such as an unreachable collector. */
function reportDiagnostics(warn: WarnFunction): void {
  const report: DiagLogFunction = (message, ...details) => warnOnce(warn, [message, ...details.map(String)].join(' '));
  const ignore = () => {};
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Most milliseconds of a flush: an unreachable collector must not keep a command from ending. */
const maxFlushMs = 3_000;

/**
 * Creates a flush that waits at most 3 s. After a timeout it does not wait again until something has been sent: a
 * worker and a client of one process end one after the other.
 *
 * @param late called after a timeout
 */
export function createFlush(send: () => Promise<unknown>, late: () => void): () => Promise<void> {
  let patience = maxFlushMs;
  return async () => {
    const sent = send().then(() => {
      patience = maxFlushMs;
    });
    if ((await withTimeout(sent, patience)) !== null) return;
    patience = 0;
    late();
  };
}

/** Metrics of archiving: the backlog, the runs archived, the failed attempts. */
function createArchiveMeters(meter: Meter): Instruments['recordArchiving'] {
  const backlog = meter.createGauge('longhand.archive.backlog', {
    unit: '{run}',
    description: 'Closed runs queued for archiving by this worker.',
  });
  const archived = meter.createCounter('longhand.archive.archived', { unit: '{run}', description: 'Runs archived.' });
  const failed = meter.createCounter('longhand.archive.failed', {
    unit: '{attempt}',
    description: 'Failed attempts to archive a run. They are retried.',
  });
  return (event) =>
    suppressErrors(() => {
      if (event.type === 'backlog') backlog.record(event.runs);
      else if (event.type === 'archived') archived.add(1);
      else failed.add(1);
    });
}

/** Chains that model calls needed, by source, and the bytes of history that were read for them. */
function createFoldMeters(meter: Meter): Instruments['recordFold'] {
  const folds = meter.createCounter('longhand.folds', {
    unit: '{chain}',
    description: 'Chains that model calls needed: from the cache, or with events read since, or read from the start.',
  });
  const read = meter.createCounter('longhand.folds.read', {
    unit: 'By',
    description: 'Bytes of history that were read for model calls.',
  });
  return ({ source, bytes }) =>
    suppressErrors(() => {
      folds.add(1, { [ownAttributes.source]: source });
      if (bytes > 0) read.add(bytes);
    });
}

/** Alerts of budgets. Tenants are no attributes: there may be many. */
function createAlertMeter(meter: Meter): Instruments['recordBudgetAlert'] {
  const alerts = meter.createCounter('longhand.budget.alerts', {
    unit: '{alert}',
    description: 'Budgets of tenants, agents and models of which a stated part is used.',
  });
  return ({ per }) => suppressErrors(() => alerts.add(1, { [ownAttributes.window]: per }));
}

/** Each worker reports the number of its namespace: take the largest, not the sum. Without an answer of the server, none. */
function createHeldGauge(meter: Meter): Telemetry['observeHeldChains'] {
  const gauge = meter.createObservableGauge('longhand.chains.held', {
    unit: '{chain}',
    description: 'Chains of the namespace that wait until a person repairs what holds them.',
  });
  return (count) => {
    const observe: ObservableCallback = async (result) => {
      const total = await count().catch(() => null);
      if (total !== null) result.observe(total);
    };
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  };
}
