/** `longhand plan run`, `longhand agent debug` and `longhand agent implement`: runs an agent on a plan template. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../agents/define-agent.js';
import { isObject } from '../../core/lib/json.js';
import { coder } from '../../presets/coder.js';
import type { PlanStart } from '../../presets/plans/define-plan.js';
import { UsageError } from '../flags/usage-error.js';
import { type Definitions, getAgent, loadPlans } from '../run/load-definitions.js';
import type { RunFlags, RunTask } from '../run/run-task.js';
import type { Terminal } from '../terminal/terminal.js';
import { fillPlan, getPlan } from './plan-parameters.js';

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
  readonly files?: string;
}

/** A task as text, and the plan template and parameter that it fills. */
export interface AgentTask {
  readonly planName: string;
  readonly parameter: string;
  readonly text: string;
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
  { planName, parameter, text }: AgentTask,
  flags: AgentTaskFlags,
): Promise<number> {
  return runTask(terminal, flags, async () => {
    if (text.trim() === '') throw new UsageError('The task is empty. Describe what the agent should do.');
    const listed = flags.files?.split(',').map((file) => file.trim());
    const files = listed?.filter((file) => file !== '');
    const given = { [parameter]: text, files: files?.length === 0 ? undefined : files };
    return toRunTarget({ agents: [], plans: [] }, fillPlan(getPlan([], planName), [], given), flags);
  });
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
  return coder({ root, ...(tests === undefined ? {} : { tests }) });
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
