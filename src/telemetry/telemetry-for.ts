/**
 * Traces and metrics, when the environment asks for them. Nothing of OpenTelemetry's SDK is loaded before: that is
 * behind the one dynamic import here.
 */

import { readSettings } from './settings.js';
import { noTelemetry, type Redact, type Telemetry } from './telemetry.js';

/**
 * @param redact what content passes through; without it none is recorded, whatever the environment asks for
 */
export async function telemetryFor(
  env: Readonly<Record<string, string | undefined>>,
  redact: Redact | null = null,
): Promise<Telemetry> {
  const settings = readSettings(env);
  if (settings === null) return noTelemetry;
  for (const problem of settings.problems) process.emitWarning(problem, 'OpenTelemetry');
  if (settings.traces === null && settings.metrics === null) return noTelemetry;
  const { openTelemetry } = await import('./open-telemetry.js');
  return openTelemetry(settings, redact);
}
