/** Loads the definitions of a user's module: agents, plan templates, approvals for all agents, the secret provider. */

import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { type Agent, isAgent } from '../../agents/index.js';
import { resolvePackageFile } from '../../package/index.js';

import type { PlanDefinition } from '../../plans/index.js';
import { checkSecretProvider, type SecretProvider } from '../../secrets/index.js';
import { checkWorkerApprovals, type WorkerApprovals } from '../../tools/define/index.js';
import { UsageError } from '../flags/usage-error.js';
import { loadModule } from './load-module.js';

/** Default modules, in order of precedence. */
const defaultModules = ['agents.ts', 'agents.mts', 'agents.js', 'agents.mjs', 'src/agents.ts'];

/** Names the examples by their path: a project has none of its own. */
export function formatNoAgents(): string {
  const example = resolvePackageFile('examples/weather.ts');
  const path = relative('.', example);
  return `No agents found. Write agents.ts, as in ${path.startsWith('..') ? example : path}, or name a module with --module.`;
}

export interface Definitions {
  readonly agents: readonly Agent[];
  readonly plans: readonly PlanDefinition[];
  /** Exported as `approvals`. */
  readonly approvals?: WorkerApprovals;
  /** Exported as `secrets`. */
  readonly secrets?: SecretProvider;
}

/**
 * Loads a module that must export agents.
 *
 * @throws {UsageError} if the module is missing or does not load, exports no agent or two of a name, or has invalid
 *   `approvals` or `secrets`
 */
export async function loadDefinitions(path: string | undefined): Promise<Definitions> {
  const file = path ?? findDefaultModule();
  if (file === null) throw new UsageError(formatNoAgents());
  const defined = collectDefinitions(file, await loadModule(file));
  if (defined.agents.length > 0) return defined;
  throw new UsageError(`${file} exports no agent. Write: export const myAgent = defineAgent({ … }).`);
}

/** Loads a module that may have only plan templates; the default module may be missing. @throws {UsageError} */
export async function loadPlans(path: string | undefined): Promise<Definitions> {
  const file = path ?? findDefaultModule();
  if (file === null) return { agents: [], plans: [] };
  const defined = collectDefinitions(file, await loadModule(file));
  if (path === undefined || defined.agents.length + defined.plans.length > 0) return defined;
  throw new UsageError(
    `${file} exports no plan template and no agent. Write: export const myPlan = definePlan({ … }).`,
  );
}

function collectDefinitions(file: string, module: Readonly<Record<string, unknown>>): Definitions {
  // A definition may be exported under two names.
  const all = [...new Set(Object.values(module))];
  const agents = all.filter(isAgent);
  const plans = all.filter(isPlanDefinition);
  for (const [what, defined] of [
    ['agents', agents],
    ['plan templates', plans],
  ] as const) {
    const names = defined.map(({ name }) => name);
    const duplicate = names.find((name, at) => names.indexOf(name) !== at);
    if (duplicate !== undefined) throw new UsageError(`${file} exports two ${what} named ${duplicate}. Rename one.`);
  }
  return { agents, plans, ...parseApprovals(file, module), ...parseSecrets(file, module) };
}

function parseApprovals(
  file: string,
  { approvals }: Readonly<Record<string, unknown>>,
): Pick<Definitions, 'approvals'> {
  if (approvals === undefined) return {};
  const problem = checkWorkerApprovals(approvals, 'approvals');
  if (problem !== null) throw new UsageError(`Invalid export approvals of ${file}: ${problem}.`);
  return { approvals: approvals as WorkerApprovals };
}

function parseSecrets(file: string, { secrets }: Readonly<Record<string, unknown>>): Pick<Definitions, 'secrets'> {
  if (secrets === undefined) return {};
  const problem = checkSecretProvider(secrets, 'it');
  if (problem !== null) throw new UsageError(`Invalid export secrets of ${file}: ${problem}.`);
  return { secrets: secrets as unknown as SecretProvider };
}

/** Finds the default module; null if none exists. */
export function findDefaultModule(): string | null {
  return defaultModules.find((candidate) => existsSync(candidate)) ?? null;
}

/** Returns the agent of a name. @throws {UsageError} with the existing names */
export function getAgent(agents: readonly Agent[], name: string): Agent {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  throw new UsageError(
    `Agent ${name} not found. Available: ${agents.map((candidate) => candidate.name).join(', ') || 'none'}.`,
  );
}

/** Checks the shape, not the class: the module may load another copy of this package. */
function isPlanDefinition(value: unknown): value is PlanDefinition {
  return (
    typeof value === 'object' && value !== null && 'validateParameters' in value && 'goal' in value && 'steps' in value
  );
}
