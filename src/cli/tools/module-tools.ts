/** The tools of a module's agents, each definition once. */

import { type Agent, type AgentSources, createAgentSources } from '../../agents/index.js';
import { computeDigest, findNearest, findOwn, toCanonicalJson } from '../../core/lib/index.js';
import { createDefaultSecrets } from '../../secrets/index.js';
import {
  type Approval,
  combineApprovals,
  type Tool,
  type ToolApprovals,
  toApprovalResult,
  toToolApprovalResult,
} from '../../tools/define/index.js';
import { UsageError } from '../flags/usage-error.js';
import type { Definitions } from '../run/load-definitions.js';

/** Whether a call needs approval, by the platform, the agent and the tool. `policy`: a function decides each call. */
type NeedsApproval = 'yes' | 'no' | 'policy' | 'denied';

export interface ModuleTool {
  readonly tool: Tool;
  readonly approval: NeedsApproval;
  /** What the tool's own setting demands, or the default of its effects. */
  readonly ownApproval: NeedsApproval;
  /** Names of the agents that have it. */
  readonly agents: readonly string[];
}

/**
 * Loads the tools of a module's agents. Their sources are connected for it, and closed.
 *
 * @param report receives a line for each source that cannot be reached, and for each tool that it lists and an agent cannot have
 */
export async function loadTools(
  definitions: Definitions,
  report: (line: string) => void,
): Promise<readonly ModuleTool[]> {
  const log = { debug: ignore, info: ignore, warn: report, error: report };
  const sources = createAgentSources({ secrets: definitions.secrets ?? createDefaultSecrets(process.env), log });
  try {
    return await collectTools(definitions, sources, report);
  } finally {
    await sources.close();
  }
}

function ignore(): void {}

async function collectTools(
  definitions: Definitions,
  sources: AgentSources,
  report: (line: string) => void,
): Promise<readonly ModuleTool[]> {
  const toolsByKey = new Map<string, ModuleTool>();
  for (const defined of definitions.agents) {
    const agent = await sources.load(defined);
    for (const { name } of defined.sources) {
      const problem = sources.findProblem(defined, name);
      if (problem !== null) report(`Agent ${defined.name}: the source of tools ${name} cannot be reached. ${problem}`);
    }
    for (const tool of agent.tools) {
      const approval = findApproval(definitions, agent, tool);
      const { snapshot, cache = null, secrets = [] } = tool;
      const key = computeDigest(toCanonicalJson({ snapshot, cache, secrets, ...approval }));
      const agents = [...(toolsByKey.get(key)?.agents ?? []), agent.name];
      toolsByKey.set(key, { tool, ...approval, agents });
    }
  }
  return [...toolsByKey.values()];
}

/** @throws {UsageError} where there is no tool of this name, or several */
export function selectTool(all: readonly ModuleTool[], name: string, agent: string | undefined): ModuleTool {
  const matches = all.filter(({ tool }) => tool.name === name);
  const [match, other] = matches.filter(({ agents }) => agent === undefined || agents.includes(agent));
  if (match !== undefined && other === undefined) return match;
  const owners = matches.flatMap(({ agents }) => agents).join(', ');
  if (match !== undefined)
    throw new UsageError(`Several tools have the name ${name}. Choose one with --agent: ${owners}.`);
  if (agent !== undefined && matches.length > 0)
    throw new UsageError(`Agent ${agent} has no tool ${name}. These agents have it: ${owners}.`);
  const names = [...new Set(all.map(({ tool }) => tool.name))];
  const nearest = findNearest(name, names);
  const hint = nearest === null ? '' : `Did you mean ${nearest}? `;
  throw new UsageError(`Tool ${name} not found. ${hint}Available: ${names.join(', ') || 'none'}.`);
}

/** Layers of tenants are omitted: they are of the chain. */
function findApproval(
  { approvals }: Definitions,
  agent: Agent,
  tool: Tool,
): Pick<ModuleTool, 'approval' | 'ownApproval'> {
  const { name } = tool.snapshot;
  const above = [selectApproval(approvals?.platform, name), selectApproval(agent.definition.approval, name)];
  return {
    approval: combineLayers([...above, tool.approval], tool),
    ownApproval: combineLayers([tool.approval], tool),
  };
}

/** @param layers the highest first; the last is that of the tool */
function combineLayers(layers: readonly (Approval | undefined)[], { snapshot }: Tool): NeedsApproval {
  const results = layers.map((layer, at) => {
    // A policy may decide anything: as a request, it is overridden by a grant above and overrides nothing below.
    const verdict = typeof layer === 'function' ? true : layer;
    return at === layers.length - 1 ? toToolApprovalResult(verdict, snapshot) : toApprovalResult(verdict, snapshot, '');
  });
  const granted = results.findIndex(({ kind }) => kind === 'grant');
  const effective = granted < 0 ? layers : layers.slice(0, granted);
  const { kind } = combineApprovals(results);
  if (kind === 'deny' || kind === 'end') return 'denied';
  if (effective.some((layer) => typeof layer === 'function')) return 'policy';
  return kind === 'request' ? 'yes' : 'no';
}

function selectApproval(approvals: ToolApprovals | undefined, tool: string): Approval | undefined {
  return typeof approvals === 'function' ? approvals : findOwn(approvals ?? {}, tool);
}
