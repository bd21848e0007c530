/** `longhand plan run`, `longhand agent debug` and `longhand agent implement`: runs an agent on a plan template. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../agents/index.js';
import { isObject, omitUndefined } from '../../core/lib/index.js';
import type { PlanDefinition, PlanStart } from '../../plans/index.js';
import { builtInPlans, coder } from '../../presets/index.js';
import { UsageError } from '../flags/usage-error.js';
import { type Definitions, getAgent, loadPlans } from '../run/load-definitions.js';
import type { RunFlags, RunTask } from '../run/run-task.js';
import type { Terminal } from '../terminal/terminal.js';
import { fillPlan, formatRunCommand, getPlan, listParameters } from './plan-parameters.js';

interface FolderFlags extends RunFlags {
  readonly root?: string;
  readonly tests?: string;
}

export interface PlanRunFlags extends FolderFlags {
  readonly module?: string;
  readonly agent?: string;
  readonly param: readonly string[];
}

export interface AgentTaskFlags extends FolderFlags {
  /** Name of the plan template. */
  readonly plan: string;
  readonly module?: string;
  readonly files?: string;
}

export async function runPlan(
  terminal: Terminal,
  runTask: RunTask,
  name: string,
  flags: PlanRunFlags,
): Promise<number> {
  return runTask(terminal, flags, async () => {
    const defined = await loadPlans(flags.module);
    const filled = fillPlan(getPlan(defined.plans, name), flags.param);
    return toRunTarget(defined, filled, flags);
  });
}

export async function runAgentTask(
  terminal: Terminal,
  runTask: RunTask,
  text: string,
  flags: AgentTaskFlags,
): Promise<number> {
  return runTask(terminal, flags, async () => {
    if (text.trim() === '') throw new UsageError('The task is empty. Describe what the agent should do.');
    const defined = needsModule(flags) ? await loadPlans(flags.module) : { agents: [], plans: [] };
    const template = getPlan(defined.plans, flags.plan);
    return toRunTarget(defined, fillPlan(template, [], toPlanParameters(template, text, flags)), flags);
  });
}

/** A built-in plan template needs no module, so a module that does not load is not an obstacle. */
function needsModule({ module, plan }: AgentTaskFlags): boolean {
  return module !== undefined || !builtInPlans.some(({ name }) => name === plan);
}

/** @throws {UsageError} if the plan template does not take the values of the command */
function toPlanParameters(template: PlanDefinition, text: string, { files }: AgentTaskFlags): Record<string, unknown> {
  const known = listParameters(template);
  const [first, ...others] = known.filter(({ required }) => required);
  if (first === undefined || first.type !== 'string' || others.length > 0)
    throw new UsageError(`Plan template ${template.name} does not take one text. Write: ${formatRunCommand(template)}`);
  const listed = (files ?? '').split(',').flatMap((file) => (file.trim() === '' ? [] : [file.trim()]));
  if (listed.length === 0) return { [first.name]: text };
  if (!known.some(({ name }) => name === 'files'))
    throw new UsageError(`Plan template ${template.name} has no parameter files. Leave out --files.`);
  return { [first.name]: text, files: listed };
}

function toRunTarget(
  defined: Definitions,
  { task, plan }: PlanStart,
  flags: FolderFlags & { readonly agent?: string },
) {
  const agent = flags.agent === undefined ? createLocalCoder(flags) : getAgent(defined.agents, flags.agent);
  // A worker has one agent of a name: the selected agent replaces others of its name.
  const agents = [agent, ...defined.agents.filter(({ name }) => name !== agent.name)];
  return { ...defined, agents, agent, task, plan };
}

/** @throws {UsageError} if the folder does not exist */
function createLocalCoder({ root = '.', tests = findTestCommand(root) }: Pick<FolderFlags, 'root' | 'tests'>): Agent {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`Folder ${root} not found. Set --root to the folder with the code.`);
  }
  return coder({ root, ...omitUndefined({ tests }) });
}

/** Returns `npm test` if the package has tests. npm's default script for a package without tests does not count. */
function findTestCommand(root: string): string | undefined {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return undefined;
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const scripts = isObject(manifest) && isObject(manifest.scripts) ? manifest.scripts : {};
    const { test } = scripts;
    return typeof test === 'string' && !/no test specified/.test(test) ? 'npm test --' : undefined;
  } catch {
    return undefined;
  }
}
