/** A queue of work that no chain waits for: bounded, a few at a time, and what fails or is dropped is reported. */

import { setTimeout as sleep } from 'node:timers/promises';

export interface BoundedQueue {
  readonly add: (work: () => Promise<void>) => void;
  /** Accepts no more work; resolves when all is done or the time is over. */
  readonly stop: (patienceMs: number) => Promise<void>;
}

const maxConcurrent = 8;
const maxWaiting = 10_000;

/** @param onFailure called for the first failure, and again after the next success */
export function createBoundedQueue(onFailure: (error: unknown) => void): BoundedQueue {
  const waiting: (() => Promise<void>)[] = [];
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let hasReported = false;

  const report = (error: unknown) => {
    if (!hasReported) onFailure(error);
    hasReported = true;
  };

  /** Never rejects. */
  const run = async (work: () => Promise<void>) => {
    try {
      await work();
      hasReported = false;
    } catch (error) {
      report(error);
    }
  };

  const next = () => {
    while (underWay.size < maxConcurrent) {
      const work = waiting.shift();
      if (work === undefined) return;
      const done = run(work).finally(() => {
        underWay.delete(done);
        next();
      });
      underWay.add(done);
    }
  };

  return {
    add: (work) => {
      if (isStopped) return;
      if (waiting.length >= maxWaiting) return report(new Error(`more than ${maxWaiting} wait`));
      waiting.push(work);
      next();
    },
    stop: async (patienceMs) => {
      isStopped = true;
      const out = new AbortController();
      const patience = sleep(patienceMs, undefined, { signal: out.signal }).catch(() => {});
      const all = (async () => {
        while (underWay.size > 0) await Promise.all(underWay);
      })();
      await Promise.race([all, patience]);
      out.abort();
      waiting.length = 0;
    },
  };
}
