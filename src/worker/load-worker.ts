/** Loads Temporal's native worker, and what is above it, with the first worker: a project may have the package without it. */

import { requirePackages } from '../package/index.js';

/** @throws {LonghandError} `package_missing` */
export async function loadWorker(): Promise<typeof import('./open-worker.js')> {
  requirePackages('A worker', ['@temporalio/worker', '@temporalio/activity', '@temporalio/workflow']);
  return import('./open-worker.js');
}
