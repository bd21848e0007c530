/**
 * Logs operations that this worker puts back into the task queue, because it lacks the agent, a tool, the provider or a source: once a
 * minute for each cause. A chain offers an operation again every few seconds.
 */

import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isRequeueFailure } from '../../contract/index.js';

const intervalMs = 60_000;
/** Most causes: they have names that those who start chains choose. */
const mostCauses = 1_000;

interface Inbound {
  readonly execute: <I>(input: I, next: (input: I) => Promise<unknown>) => Promise<unknown>;
}

/** Returns an interceptor for Temporal's worker. The SDK itself does not log these failures: they are benign. */
export function createRequeueReporter(now: () => number = Date.now) {
  const reportedAt = new Map<string, number>();
  const isDue = (cause: string) => now() - (reportedAt.get(cause) ?? Number.NEGATIVE_INFINITY) >= intervalMs;
  return ({ log }: Pick<Context, 'log'>): { readonly inbound: Inbound } => ({
    inbound: {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof ApplicationFailure && isRequeueFailure(error.type ?? '') && isDue(error.message)) {
            if (reportedAt.size >= mostCauses) reportedAt.clear();
            reportedAt.set(error.message, now());
            log.warn(`${error.message} The operation went back to the task queue.`);
          }
          throw error;
        }
      },
    },
  });
}
