import { Runtime } from '@temporalio/worker';
import { toTemporalMetrics } from '../telemetry/index.js';
import { type CommandLoggerOptions, createCommandLogger } from './flags/logger.js';

/**
 * Installs Temporal's runtime for a command: it would log each change of its state at INFO. A process has one runtime: a program
 * that has installed its own, before it calls `main`, keeps it.
 */
export async function installRuntime(options: CommandLoggerOptions): Promise<void> {
  const logger = await createCommandLogger(options);
  if (Runtime.instantiator !== undefined) return;
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(options.command === 'chain' ? {} : toTemporalMetrics(options.env)),
    },
    // The runtime would also take the signals of a command without a running worker.
    shutdownSignals: [],
  });
}
