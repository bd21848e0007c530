/** A worker as its users run it. Apart from what opens it, so that its type loads none of the rooms that a worker is composed of. */

import type { Worker } from '@temporalio/worker';

/** A worker with its resources. */
export interface LonghandWorker {
  /** Returns the state of Temporal's worker: `INITIALIZED`, `RUNNING`, `STOPPED` … */
  readonly getState: Worker['getState'];
  /** Stops a running worker: `run` then resolves. Without effect in any other state. */
  readonly shutdown: () => void;
  /** Clears the cache of folded chains; they are read again when next needed. */
  readonly forgetChains: () => void;
  /**
   * Runs until `shutdown()` or a signal, finishes or hands over the running calls, and closes the resources. A worker
   * runs once.
   *
   * @throws {LonghandError} `worker_failed` when a call ignored its abort signal and was abandoned, and at a second call
   */
  readonly run: () => Promise<void>;
}
