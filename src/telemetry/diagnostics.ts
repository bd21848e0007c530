/** What OpenTelemetry has to complain of is said, so that a dead collector does not go unseen. */

import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api';
import { sayOnce, type Warn } from './say-once.js';

export function speakUp(warn: Warn): void {
  const say: DiagLogFunction = (message, ...details) => sayOnce(warn, [message, ...details.map(String)].join(' '));
  const quiet = () => {};
  const logger = { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
