/** An existing Temporal activity as a tool: the chain's workflow schedules it on the task queue of its own workers. */

import { check } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { checkDuration, type Duration, toMilliseconds } from '../../options/index.js';
import { checkTypeName, type Tool, type ToolDefinition, type ToolSchema } from '../define/index.js';
import { defineTemporalTool, type TemporalToolDefinition } from './temporal-tool.js';

export interface ActivityToolDefinition<S extends ToolSchema> extends TemporalToolDefinition<S> {
  /** The activity's type. Default: the tool's name. */
  readonly activity?: string;
  /** Attempts of a call that is not unsafe. Default 3, the second after one second. */
  readonly retry?: ToolDefinition<S>['retry'];
  /** The longest time without a heartbeat of the activity. Default: it need not send any, and does not learn of a cancel. */
  readonly heartbeatTimeout?: Duration;
}

const checks: check.MemberChecks<Record<'activity' | 'retry' | 'heartbeatTimeout', unknown>> = {
  activity: checkTypeName,
  // `defineTool` checks it.
  retry: check.anything,
  heartbeatTimeout: checkDuration,
};

/**
 * Makes a tool of an activity that workers of the user have, in any language. Longhand validates and approves the call; the activity is
 * executed as it is. A failure of the type `NotDone` or `ToolError` means what the classes of these names mean.
 *
 * @throws {LonghandError} `invalid_tool`
 * @example
 * activityTool({
 *   name: 'credit_score',
 *   description: 'Credit score of a customer',
 *   activity: 'compute_credit_score',
 *   taskQueue: 'risk-python',
 *   inputSchema: z.object({ customer: z.string() }),
 *   effects: 'read',
 * })
 */
export function activityTool<S extends ToolSchema>(definition: ActivityToolDefinition<S>): Tool {
  return defineTemporalTool({
    by: 'activityTool',
    definition,
    checks,
    timeoutMs: defaults.toolTimeoutMs,
    ...(definition?.retry === undefined ? {} : { added: { retry: definition.retry } }),
    toRun: (shared) => ({
      kind: 'activity',
      activity: definition.activity ?? definition.name,
      heartbeatMs: definition.heartbeatTimeout === undefined ? null : toMilliseconds(definition.heartbeatTimeout),
      ...shared,
    }),
  });
}
