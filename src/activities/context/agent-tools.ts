/** Agents with the tools of their sources, as the activities of a chain need them. */

import { type Agent, type AgentSources, SourceUnreachableError } from '../../agents/index.js';
import { failureTypes } from '../../contract/index.js';
import { type Json, toErrorMessage } from '../../core/lib/index.js';
import type { ToolOrigin, ToolSnapshot } from '../../core/model/index.js';
import type { Tool } from '../../tools/define/index.js';
import type { Dependencies } from './dependencies.js';
import { createFailure, createUnreachableSourceFailure } from './failures.js';

/**
 * Returns the agent with the current tools of its sources, for the snapshot of a chain.
 *
 * @param details for the fact of the failure, such as what the worker knows about the server
 * @throws a failure that puts the operation back into the task queue, where a source cannot be reached
 */
export async function prepareTools(
  { sources }: Pick<Dependencies, 'sources'>,
  agent: Agent,
  details?: { readonly [member: string]: Json },
): Promise<Agent> {
  try {
    return await sources.prepare(agent);
  } catch (error) {
    if (error instanceof SourceUnreachableError) throw createUnreachableSourceFailure(error, details);
    throw createFailure(failureTypes.badDefinition, toErrorMessage(error));
  }
}

/**
 * Returns why a call of a source's tool must not run: a definition that changed after the chain started was seen neither by the
 * model nor by a person who approved the call. Null if it is the same, and for tools without a source.
 */
export function findChangedDefinition(tool: Tool, started: ToolOrigin | undefined): string | null {
  const { source } = tool.snapshot;
  if (source?.digest === started?.digest) return null;
  const owner = (source ?? started)?.name ?? '';
  return `The definition of ${tool.name} changed after this chain started: the source ${owner} lists another one now. The call was blocked and did not run. A new chain uses the new definition.`;
}

/** As `findChangedDefinition`, for a call of a reply. */
export function findChangedTool(agent: Agent, snapshot: ToolSnapshot): string | null {
  const tool = agent.tool(snapshot.name);
  return tool === undefined ? null : findChangedDefinition(tool, snapshot.source);
}

/** Returns why this worker cannot run a call of a source's tool; null if its agent does not have the source. */
export function findMissingSourceTool(
  sources: AgentSources,
  agent: Agent,
  name: string,
  { name: source }: ToolOrigin,
): string | null {
  if (!agent.sources.some(({ name }) => name === source)) return null;
  const problem = sources.findProblem(agent, source);
  return problem === null
    ? `The source ${source} no longer lists ${name}; the call did not run.`
    : `The source ${source} of ${name} cannot be reached; nothing was sent. ${problem}`;
}
