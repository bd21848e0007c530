/** Creates a worker from agents, a model and a connection to Temporal. Temporal's native worker is loaded when one is created. */

import { loadWorker } from './load-worker.js';
import type { LonghandWorker } from './longhand-worker.js';
import type { LonghandWorkerOptions } from './worker-options.js';

/**
 * Creates a worker, ready to run. Registers the search attributes if they are missing.
 *
 * @throws {LonghandError} `package_missing` without Temporal's packages for workers, `model_not_configured`, `invalid_options` for agents,
 *   `temporal`, `continueAfter` and
 *   `sweepInterval`, `invalid_policy` for visibility, approval, audit or retention, `invalid_prices`; for the server as
 *   `connect`
 * @throws {EncryptionError} when the keys cannot be used
 * @throws {StoreError} when the configured store cannot be opened
 * @example
 * const worker = await createWorker({ agents: [meteorologist] });
 * const running = worker.run();
 * // … later
 * worker.shutdown();
 * await running;
 */
export async function createWorker(options: LonghandWorkerOptions): Promise<LonghandWorker> {
  const { openWorker } = await loadWorker();
  return openWorker(options);
}

/**
 * Creates a worker and runs it until the process receives a stop signal.
 *
 * @throws {LonghandError} as `createWorker`, and `worker_failed` when a call ignored its abort signal
 * @example
 * await runWorker({ agents: [meteorologist] });
 */
export async function runWorker(options: LonghandWorkerOptions): Promise<void> {
  const worker = await createWorker(options);
  await worker.run();
}
