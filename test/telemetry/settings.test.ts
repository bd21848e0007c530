/** The settings that the `OTEL_*` variables result in. */

import { describe, expect, it } from 'vitest';
import { readSettings, toTemporalMetrics } from '../../src/telemetry/settings.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('telemetry is off', () => {
  it.each([
    ['without an endpoint', {}],
    ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['without an endpoint but with other settings', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp' }],
    ['when it is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
    ['when no signal is exported', { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
    [
      'when other exporters are set',
      { ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin', OTEL_METRICS_EXPORTER: 'prometheus' },
    ],
  ])('%s', (_, env) => {
    expect(readSettings(env)).toBeNull();
  });
});

describe('telemetry is on', () => {
  it('for both signals with an endpoint, and without content', () => {
    expect(readSettings(endpoint)).toEqual({
      traces: 'http/protobuf',
      metrics: 'http/protobuf',
      metricsIntervalMs: 60_000,
      capturesContent: false,
      problems: [],
    });
  });

  it('for a single signal that has an endpoint', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/v1/traces' };
    expect(readSettings(env)).toMatchObject({ traces: 'http/protobuf', metrics: null });
  });

  it('with the protocol of each signal, and reports an unsupported protocol', () => {
    const env = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json' };
    expect(readSettings(env)).toMatchObject({
      traces: null,
      metrics: 'http/json',
      problems: [expect.stringMatching(/^traces are not sent: OTLP over grpc .* Set OTEL_EXPORTER_OTLP_PROTOCOL=http/)],
    });
  });

  it.each(['1', 'yes', 'TRUE', 'true'])('with content only for `true`: %s', (value) => {
    const settings = readSettings({ ...endpoint, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value });
    expect(settings?.capturesContent).toBe(value.toLowerCase() === 'true');
  });
});

describe("Temporal's own metrics", () => {
  it('are sent to the same collector with the same headers', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/', OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%3Db, y = z' };
    expect(toTemporalMetrics(env).metrics?.otel).toEqual({
      url: 'http://c:4318/v1/metrics',
      http: true,
      headers: { 'x-api-key': 'a=b', y: 'z' },
      metricsExportInterval: 60_000,
    });
    const own = { ...env, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/in' };
    expect(toTemporalMetrics(own).metrics?.otel.url).toBe('http://m/in');
  });

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  ])('are not sent unless metrics are sent as protobuf', (env) => {
    expect(toTemporalMetrics(env)).toEqual({});
  });
});
