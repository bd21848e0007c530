/**
 * The open sources of a worker's agents, and agents with the tools that their sources have now.
 *
 * 1. A new chain gets the tools as they are at its start. A source that cannot be reached keeps it waiting, unless it is optional.
 * 2. A running chain has its snapshot. Its worker needs the code of the tools alone, so a source that cannot be reached is skipped:
 *    its tools are then missing, as on a worker with an older version of the agent.
 */

import { LonghandError, toErrorMessage } from '../core/lib/index.js';
import type { OpenToolSource, SourceContext, Tool, ToolSource } from '../tools/define/index.js';
import type { Agent } from './agent-definition.js';
import { addTools } from './define-agent.js';

export interface AgentSources {
  /**
   * Returns an agent with the current tools of its sources, for a new chain.
   *
   * @throws {SourceUnreachableError} for a source that is not optional
   */
  readonly prepare: (agent: Agent) => Promise<Agent>;
  /** Returns an agent with the tools of those sources that can be reached, for a running chain. Never rejects. */
  readonly load: (agent: Agent) => Promise<Agent>;
  /** Why the source of an agent was not reached; null if it was, or if the agent has no such source. */
  readonly findProblem: (agent: Agent, source: string) => string | null;
  readonly close: () => Promise<void>;
}

/** A source of an agent's tools cannot be reached, or does not list them. */
export class SourceUnreachableError extends LonghandError {
  override readonly name = 'SourceUnreachableError';

  constructor(
    readonly source: string,
    message: string,
  ) {
    super('source_unreachable', message);
  }
}

/** Opens sources lazily: each once, also where several agents have it. */
export function createAgentSources(context: SourceContext): AgentSources {
  const opened = new Map<ToolSource, OpenToolSource>();
  const problems = new Map<ToolSource, string>();
  /** The agent for its latest lists: building its lookups for each call would cost more than the call. */
  const built = new WeakMap<Agent, { readonly lists: readonly (readonly Tool[])[]; readonly agent: Agent }>();

  let isClosed = false;

  const openOnce = (source: ToolSource): OpenToolSource => {
    if (isClosed) throw new Error('The worker is stopping.');
    const openSource = opened.get(source) ?? source.open(context);
    opened.set(source, openSource);
    return openSource;
  };

  const list = async (source: ToolSource, isFresh: boolean): Promise<readonly Tool[]> => {
    try {
      // A source may be a user's own: one that throws concerns only its agents.
      const listed = await openOnce(source).list({ isFresh });
      problems.delete(source);
      return listed;
    } catch (error) {
      const problem = toErrorMessage(error);
      problems.set(source, problem);
      throw new SourceUnreachableError(source.name, problem);
    }
  };

  const build = (agent: Agent, lists: readonly (readonly Tool[])[]): Agent => {
    const earlier = built.get(agent);
    if (earlier?.lists.every((tools, at) => tools === lists[at])) return earlier.agent;
    const made = addTools(agent, lists.flat(), (tool, why) =>
      context.log.warn(`Agent ${agent.name} has no tool ${tool} of its sources: ${why}.`),
    );
    built.set(agent, { lists, agent: made });
    return made;
  };

  const prepare = async (agent: Agent): Promise<Agent> => {
    if (agent.sources.length === 0) return agent;
    const lists = agent.sources.map((source) =>
      list(source, true).catch((error: unknown) => {
        if (!source.optional) throw error;
        context.log.warn(`Agent ${agent.name} starts without the tools of ${source.name}: ${toErrorMessage(error)}`);
        return noTools;
      }),
    );
    return build(agent, await Promise.all(lists));
  };

  const load = async (agent: Agent): Promise<Agent> => {
    if (agent.sources.length === 0) return agent;
    if (isClosed) return agent;
    const lists = agent.sources.map((source) => list(source, false).catch(() => noTools));
    return build(agent, await Promise.all(lists));
  };

  return {
    prepare,
    load,
    findProblem: ({ sources }, name) => {
      const source = sources.find((candidate) => candidate.name === name);
      return source === undefined ? null : (problems.get(source) ?? null);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...opened.values()].map((open) => open.close()));
      opened.clear();
      problems.clear();
    },
  };
}

const noTools: readonly Tool[] = [];
