/** What OpenTelemetry has to complain of: said once each, on standard error, so that a dead collector does not go unseen. */

import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api';

/** Told apart by how they begin: the rest is often a stack, or a time. */
const told = 80;

export function speakUp(): void {
  const said = new Set<string>();
  const say: DiagLogFunction = (message, ...details) => {
    const line = [message, ...details.map(String)].join(' ').replace(/\s+/g, ' ').slice(0, 400);
    if (said.has(line.slice(0, told))) return;
    said.add(line.slice(0, told));
    process.stderr.write(`OpenTelemetry: ${line}\n`);
  };
  const quiet = () => {};
  const logger = { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
