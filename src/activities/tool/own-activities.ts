/**
 * A user's own activities, for the user's own workflows alone. One of them may have the name of a tool that only other
 * workers have: the call of a chain would run it without the schema, the policies and the masking of the tool.
 */

import { Context } from '@temporalio/activity';
import type { RunToolInput } from '../../contract/activities.js';
import { workflowType } from '../../contract/names.js';
import type { Observation } from '../../core/model/fact.js';

/** @param runTool takes the calls of chains: the worker lacks their tool, so they go back to the task queue */
export function guardOwnActivities(
  activities: Readonly<Record<string, unknown>>,
  runTool: (input: RunToolInput) => Promise<Observation>,
): Readonly<Record<string, unknown>> {
  const guard = (execute: unknown) => {
    if (typeof execute !== 'function') return execute;
    return async (...args: readonly unknown[]): Promise<unknown> =>
      Context.current().info.workflowType === workflowType ? runTool(args[0] as RunToolInput) : execute(...args);
  };
  return Object.fromEntries(Object.entries(activities).map(([name, execute]) => [name, guard(execute)]));
}
