/** Temporal's core would tell of a replay that breaks in a page of its own, between the lines of the command. */

import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Once a process, before anything else of Temporal's is used. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
    // Ctrl-C ends the command, which has nothing to finish.
    shutdownSignals: [],
  });
}
