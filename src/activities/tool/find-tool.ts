/** The tool of a call, as this worker has it, with the call's arguments. */

import type { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/index.js';
import { failureTypes, type RunToolInput, workflowType } from '../../contract/index.js';
import { toErrorMessage } from '../../core/lib/index.js';
import { parseForeignActivityId } from '../../core/model/index.js';
import type { Tool } from '../../tools/define/index.js';
import { findChangedDefinition, findMissingSourceTool } from '../context/agent-tools.js';
import type { Dependencies } from '../context/dependencies.js';
import {
  createFailure,
  createUnknownAgentFailure,
  createUnknownToolFailure,
  toRegisteredAgents,
} from '../context/failures.js';

/**
 * An activity of a user's own workflow, or of a tool made of one, that this worker does not have. Another worker of the queue may have it,
 * so a chain tries again. An unsafe call has one attempt, in a workflow of its own, and it did not run.
 */
export function rejectOtherWorkflow({ info }: Context): void {
  const { activityType, activityId } = info;
  if (info.workflowType === workflowType && parseForeignActivityId(activityId) === null) return;
  const message = `This worker has no activity named ${activityType}. Pass it with the option \`activities\` of the worker.`;
  const type = info.workflowType === workflowType ? failureTypes.unknownActivity : failureTypes.notDone;
  throw createFailure(type, message, { retryable: true });
}

/** @throws a failure that puts the call back into the task queue if the worker lacks the agent or the tool */
export async function findTool(
  dependencies: Dependencies,
  { agent: by, source }: RunToolInput,
  { activityType: name, attempt }: Context['info'],
): Promise<{ readonly agent: Agent; readonly tool: Tool }> {
  const defined = dependencies.agents.get(by);
  // An earlier attempt may have executed the tool on another worker: its effects may be others there.
  const details = attempt > 1 ? { attempted: true } : undefined;
  if (defined === undefined) throw createUnknownAgentFailure(toRegisteredAgents(dependencies.agents), by, details);
  // A source that hangs must not delay the calls of other tools.
  const isOwn = source === undefined && defined.tool(name) !== undefined;
  const agent = isOwn ? defined : await dependencies.sources.load(defined);
  const tool = agent.tool(name);
  if (tool === undefined) {
    const missing = source === undefined ? null : findMissingSourceTool(dependencies.sources, agent, name, source);
    if (missing !== null) throw createFailure(failureTypes.notDone, missing, { retryable: true });
    throw createUnknownToolFailure(by, name, details);
  }
  const changed = findChangedDefinition(tool, source);
  if (changed !== null) throw createFailure(failureTypes.notDone, changed);
  return { agent, tool };
}

/** Parses the arguments again: the schema may have changed since the model's call was checked. @throws {NotDone} */
export function parseInput(tool: Tool, { input }: RunToolInput): ReturnType<Tool['parse']> {
  try {
    return tool.parse(input);
  } catch (error) {
    throw createFailure(
      failureTypes.notDone,
      `The arguments no longer match the schema of ${tool.name}; it did not run. ${toErrorMessage(error)}`,
    );
  }
}
