/** Agents from a user's module, TypeScript or JavaScript. */

import { existsSync } from 'node:fs';
import type { Agent } from '../agents/define-agent.js';
import { loadModule } from './load-module.js';
import { UsageError } from './usage-error.js';

/** Looked for in this order when no module is named. */
const usual = ['agents.ts', 'agents.mts', 'agents.js', 'agents.mjs', 'src/agents.ts'];

/** @throws {UsageError} when there is no such module, or it exports no agent */
export async function loadAgents(named: string | undefined): Promise<readonly Agent[]> {
  const file = named ?? usual.find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw new UsageError(`No agents here: write agents.ts (see examples/), or name a module with --module.`);
  }
  const agents = Object.values(await loadModule(file)).flatMap((value: unknown) => (isAgent(value) ? [value] : []));
  if (agents.length === 0) {
    throw new UsageError(`${file} exports no agent. Write: export const myAgent = defineAgent({ … }).`);
  }
  return agents;
}

/** @throws {UsageError} naming those that there are */
export function pickAgent(agents: readonly Agent[], name: string): Agent {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  throw new UsageError(
    `There is no agent named ${name}. There is: ${agents.map((candidate) => candidate.name).join(', ')}.`,
  );
}

/** By shape: the module may have its own copy of this package. */
function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'problemWithCall' in value && 'definition' in value;
}
