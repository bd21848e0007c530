/** OpenTelemetry's SDK, set up once in a process, by its own packages and the variables that they read. */

import { context, metrics, propagation, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as BinaryMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as BinaryTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { archiveMeters } from './archive-meters.js';
import type { Histograms } from './chat-span.js';
import { conventionsUrl, metrics as names } from './conventions.js';
import { speakUp } from './diagnostics.js';
import { PlannedIds } from './ids.js';
import type { Instruments } from './instruments.js';
import { patiently } from './patience.js';
import { sayOnce, type Warn } from './say-once.js';
import type { Settings } from './settings.js';

export interface Sdk {
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
