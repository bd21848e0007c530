/**
 * Creates traces and metrics if the environment requests them. OpenTelemetry's SDK is loaded only then, by the dynamic
 * import here.
 */

import { toPlainText } from '../core/lib/index.js';
import { findMissingPackages } from '../package/index.js';
import { readSettings } from './settings.js';
import { noTelemetry, type Telemetry, type TelemetryOptions, warnOnce } from './telemetry.js';

const sdkPackages = [
  ...['context-async-hooks', 'core', 'exporter-metrics-otlp-http', 'exporter-metrics-otlp-proto'],
  ...['exporter-trace-otlp-http', 'exporter-trace-otlp-proto', 'resources', 'sdk-metrics', 'sdk-trace-base'],
].map((name) => `@opentelemetry/${name}`);

export async function createTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  options: Partial<TelemetryOptions> = {},
): Promise<Telemetry> {
  const { visibility = {}, warn = (text) => void process.stderr.write(`${toPlainText(text)}\n`) } = options;
  const settings = readSettings(env);
  if (settings === null) return noTelemetry;
  for (const problem of settings.problems) warnOnce(warn, problem);
  if (settings.traces === null && settings.metrics === null) return noTelemetry;
  // The variables are often set for all programs of a platform: one without the packages continues.
  const missing = findMissingPackages('Telemetry', [...sdkPackages, '@temporalio/interceptors-opentelemetry']);
  if (missing !== null) {
    warnOnce(warn, missing);
    return noTelemetry;
  }
  const { createOpenTelemetry: openTelemetry } = await import('./open-telemetry.js');
  return openTelemetry(settings, { visibility, warn });
}
