/** A worker in this process, with its client, for cases that measure no time of the worker's own. */

import { connect, type Longhand } from '../../src/client/connect.js';
import { createWorker } from '../../src/worker/create-worker.js';
import type { LonghandWorkerOptions } from '../../src/worker/worker-options.js';
import { quietRuntime } from './worker-process.js';

let isQuiet = false;

type LocalWorkerOptions = Pick<LonghandWorkerOptions, 'agents' | 'providers' | 'prices' | 'tokens'> & {
  readonly address: string;
  readonly taskQueue: string;
};

/** Runs `body` while the worker runs. */
export async function withLocalWorker<T>(
  options: LocalWorkerOptions,
  body: (longhand: Longhand) => Promise<T>,
): Promise<T> {
  if (!isQuiet) quietRuntime();
  isQuiet = true;
  const { address, taskQueue, tokens } = options;
  // Ignores the environment: rows of different runs must be comparable.
  const worker = await createWorker({ ...options, store: null, continueAfter: {} });
  const longhand = await connect({ address, taskQueue, store: null, tokens });
  const running = worker.run();
  try {
    return await body(longhand);
  } finally {
    worker.shutdown();
    await running;
    await longhand.close();
  }
}
