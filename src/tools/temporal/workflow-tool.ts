/** An existing Temporal workflow as a tool: each call starts it as a child workflow of the chain. */

import type { check } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { checkTypeName, type Tool, type ToolSchema } from '../define/index.js';
import { defineTemporalTool, type TemporalToolDefinition } from './temporal-tool.js';

/** `queueTimeout` is missing: Temporal has no limit for the time in which a worker takes a workflow. */
export interface WorkflowToolDefinition<S extends ToolSchema> extends Omit<TemporalToolDefinition<S>, 'queueTimeout'> {
  /** The workflow's type. Default: the tool's name. */
  readonly workflow?: string;
}

const checks: check.MemberChecks<Record<'workflow' | 'queueTimeout', unknown>> = {
  workflow: checkTypeName,
  queueTimeout: (_value, at) => `${at} is not possible here: Temporal waits for a worker until \`timeout\`. Remove it`,
};

/**
 * Makes a tool of a workflow that workers of the user have, in any language. It is cancelled with the chain. `timeout` limits all of it;
 * the default is one hour. An unsafe call starts it once, also if the chain is reset.
 *
 * @throws {LonghandError} `invalid_tool`
 * @example
 * workflowTool({
 *   name: 'ship_order',
 *   description: 'Ships an order',
 *   workflow: 'ShipOrder',
 *   taskQueue: 'shipping',
 *   inputSchema: z.object({ order: z.string() }),
 *   effects: 'unsafe',
 * })
 */
export function workflowTool<S extends ToolSchema>(definition: WorkflowToolDefinition<S>): Tool {
  return defineTemporalTool({
    by: 'workflowTool',
    definition,
    checks,
    timeoutMs: defaults.workflowToolMs,
    ...(definition?.effects === 'unsafe' ? {} : { added: { retry: { attempts: 1 } } }),
    toRun: (shared) => ({ kind: 'workflow', workflow: definition.workflow ?? definition.name, ...shared }),
  });
}
