/**
 * A user's own activities, for the user's own workflows and for tools made of them (`activityTool`). One of them may have the name of
 * another tool, that only other workers have: the call of a chain would run it without the schema, the policies and the masking.
 */

import { Context } from '@temporalio/activity';
import { type RunToolInput, workflowType } from '../../contract/index.js';
import { type Observation, parseForeignActivityId } from '../../core/model/index.js';

/** @param runTool takes the calls of chains: the worker lacks their tool, so they go back to the task queue */
export function guardOwnActivities(
  activities: Readonly<Record<string, unknown>>,
  runTool: (input: RunToolInput) => Promise<Observation>,
): Readonly<Record<string, unknown>> {
  const guard = (execute: unknown) => {
    if (typeof execute !== 'function') return execute;
    return async (...args: readonly unknown[]): Promise<unknown> =>
      isToolCall(Context.current()) ? runTool(args[0] as RunToolInput) : execute(...args);
  };
  return Object.fromEntries(Object.entries(activities).map(([name, execute]) => [name, guard(execute)]));
}

function isToolCall({ info: { workflowType: type, activityId } }: Context): boolean {
  return type === workflowType && parseForeignActivityId(activityId) === null;
}
