/**
 * Fails a workflow task that would take results of local calls at another place than a replay of its history (L1).
 *
 * Results arrive within the task that started their calls, after its first activation. Two things put them into the first activation of
 * the next task: a query was answered while the last call ended, and the task before was completed with their markers; or the calls ended
 * between the two tasks, and the markers will be in the next one. The history tells them apart, and the worker does not. So the
 * task fails, and its next attempt replays the history, where each result has one place. Nothing is lost: the calls have no effect, and run
 * again if they are not recorded.
 */

import type { WorkflowInterceptors } from '@temporalio/workflow';

export function interceptors(): WorkflowInterceptors {
  /** Events of the history when the last task began. */
  let events = 0;
  let isFirst = false;
  return {
    internals: [
      {
        activate(input, next) {
          const { jobs, historyLength, isReplaying } = input.activation;
          const hasQueries = jobs?.some(({ queryWorkflow }) => queryWorkflow) ?? false;
          // An activation may be delivered in two batches: signals first.
          if (input.batchIndex === 0 && !hasQueries) {
            isFirst = (historyLength ?? 0) !== events;
            events = historyLength ?? 0;
          }
          if (isFirst && !isReplaying && jobs?.some(({ resolveActivity }) => resolveActivity?.isLocal))
            throw new Error(
              'Results of local calls arrived with another task. The next attempt reads their place from the history.',
            );
          next(input);
        },
      },
    ],
  };
}
