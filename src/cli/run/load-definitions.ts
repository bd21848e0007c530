/** Loads what a user's module defines: agents, plan templates, approvals for all agents, and the provider of secrets. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { isAgent } from '../../agents/agent-definition.js';
import type { Agent } from '../../agents/define-agent.js';
import type { PlanDefinition } from '../../presets/plans/define-plan.js';
import { checkSecretProvider, type SecretProvider } from '../../secrets/secret-provider.js';
import type { WorkerApprovals } from '../../tools/approval/approval.js';
import { workerApprovalsCheck } from '../../tools/approval/check-approval.js';
import { UsageError } from '../flags/usage-error.js';

/** Looked for in this order when no module is named. */
const defaultModules = ['agents.ts', 'agents.mts', 'agents.js', 'agents.mjs', 'src/agents.ts'];

export const noAgentsText = 'No agents here: write agents.ts (see examples/), or name a module with --module.';

export interface Definitions {
  readonly agents: readonly Agent[];
  readonly plans: readonly PlanDefinition[];
  /** Exported as `approvals`. */
  readonly approvals?: WorkerApprovals;
  /** Exported as `secrets`. */
  readonly secrets?: SecretProvider;
}

/**
 * @throws {UsageError} when there is no such module, it does not load, the agents it exports are none or of one name, or its
 *   `approvals` or `secrets` cannot be used
 */
export async function loadDefinitions(named: string | undefined): Promise<Definitions> {
  const file = named ?? findDefaultModule();
  if (file === null) throw new UsageError(noAgentsText);
  const defined = collectDefinitions(file, await loadModule(file));
  if (defined.agents.length > 0) return defined;
  throw new UsageError(`${file} exports no agent. Write: export const myAgent = defineAgent({ … }).`);
}

/** Of a module that may have plan templates alone, or not be there. @throws {UsageError} */
export async function loadPlans(named: string | undefined): Promise<Definitions> {
  const file = named ?? findDefaultModule();
  if (file === null) return { agents: [], plans: [] };
  const defined = collectDefinitions(file, await loadModule(file));
  if (named === undefined || defined.agents.length + defined.plans.length > 0) return defined;
  throw new UsageError(
    `${file} exports neither a plan template nor an agent. Write: export const mine = definePlan({ … }).`,
  );
}

function collectDefinitions(file: string, module: Readonly<Record<string, unknown>>): Definitions {
  // One may be exported under two names.
  const all = [...new Set(Object.values(module))];
  const agents = all.filter(isAgent);
  const plans = all.filter(isPlanDefinition);
  for (const [what, defined] of [
    ['agents', agents],
    ['plan templates', plans],
  ] as const) {
    const names = defined.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new UsageError(`${file} exports two ${what} named ${twice}. Rename one.`);
  }
  return { agents, plans, ...parseApprovals(file, module), ...parseSecrets(file, module) };
}

function parseApprovals(
  file: string,
  { approvals }: Readonly<Record<string, unknown>>,
): Pick<Definitions, 'approvals'> {
  if (approvals === undefined) return {};
  const problem = workerApprovalsCheck(approvals, 'approvals');
  if (problem !== null) throw new UsageError(`What ${file} exports as approvals cannot be used: ${problem}.`);
  return { approvals: approvals as WorkerApprovals };
}

function parseSecrets(file: string, { secrets }: Readonly<Record<string, unknown>>): Pick<Definitions, 'secrets'> {
  if (secrets === undefined) return {};
  const problem = checkSecretProvider(secrets, 'it');
  if (problem !== null) throw new UsageError(`What ${file} exports as secrets cannot be used: ${problem}.`);
  return { secrets: secrets as unknown as SecretProvider };
}

/** The module that is taken when none is named; null when there is none. */
export function findDefaultModule(): string | null {
  return defaultModules.find((candidate) => existsSync(candidate)) ?? null;
}

/** @throws {UsageError} naming those that there are */
export function getAgent(agents: readonly Agent[], name: string): Agent {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  throw new UsageError(
    `There is no agent named ${name}. There is: ${agents.map((candidate) => candidate.name).join(', ')}.`,
  );
}

/** By shape: the module may have its own copy of this package. */
function isPlanDefinition(value: unknown): value is PlanDefinition {
  return (
    typeof value === 'object' && value !== null && 'validateParameters' in value && 'goal' in value && 'steps' in value
  );
}

/**
 * Imports a module of the user's, TypeScript or JavaScript, and returns its exports by name.
 *
 * @throws {UsageError} when there is no such module, or it does not load
 */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`There is no module ${file}.`);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name the file in it that exports the agents.`);
  try {
    return (await tsImport(pathToFileURL(resolve(file)).href, import.meta.url)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`The module ${file} does not load: ${formatErrorMessage(error)}`);
  }
}

/** In one line: a syntax error has several. */
function formatErrorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
}
