/** Keeps the entry of a running worker in the store, for those that start chains: its agents, by its task queue. */

import { toErrorMessage } from '../core/lib/index.js';
import { renewalMs, type WorkerEntry } from '../store/index.js';
import type { WarnFunction } from '../telemetry/index.js';

/** Renews the entry until the returned function is called, which removes it. A worker runs also without its entry. */
export function registerWorker(entry: WorkerEntry, warn: WarnFunction): () => Promise<void> {
  const renew = () =>
    entry
      .renew()
      .catch((error: unknown) => warn(`The agents of the worker are not in the store: ${toErrorMessage(error)}`));
  let last = renew();
  const timer = setInterval(() => {
    last = renew();
  }, renewalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
    // It expires by itself.
    await entry.remove().catch(() => {});
  };
}
