/**
 * Traces and metrics, when the environment asks for them. Nothing of OpenTelemetry's SDK is loaded before: that is
 * behind the one dynamic import here.
 */

import { plain } from '../core/lib/plain.js';
import { readSettings } from './settings.js';
import { noTelemetry, sayOnce, type Telemetry, type TelemetryOptions } from './telemetry.js';

export async function telemetryFor(
  env: Readonly<Record<string, string | undefined>>,
  options: Partial<TelemetryOptions> = {},
): Promise<Telemetry> {
  const { visibility = {}, warn = (text) => void process.stderr.write(`${plain(text)}\n`) } = options;
  const settings = readSettings(env);
  if (settings === null) return noTelemetry;
  for (const problem of settings.problems) sayOnce(warn, problem);
  if (settings.traces === null && settings.metrics === null) return noTelemetry;
  const { openTelemetry } = await import('./open-telemetry.js');
  return openTelemetry(settings, { visibility, warn });
}
