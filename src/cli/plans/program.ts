/** `longhand plan …` and `longhand agent …`: plans for tasks of one kind. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { addRunFlags } from '../flags/start-flags.js';
import { collectValues } from '../flags/values.js';
import type { RunTask } from '../run/run-task.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { AgentTaskFlags, PlanRunFlags } from './run.js';
import type { PlanListFlags } from './show.js';

/** @param load gives what runs a task: it needs Temporal, which the others do not */
export function addPlanCommands(program: Command, act: CommandAction, load: () => Promise<RunTask>): void {
  const plan = program.command('plan').description('plan templates: plans with parameters, for agents to work by');

  addModuleOption(plan.command('list'))
    .description('list the plan templates that there are')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: PlanListFlags) => (await import('./show.js')).printPlans(terminal, flags)));

  addModuleOption(plan.command('show <name>'))
    .description('show the steps of a plan template, and what it takes')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, name: string, flags: PlanListFlags) =>
        (await import('./show.js')).showPlan(terminal, name, flags),
      ),
    );

  addRunFlags(addFolderOptions(addModuleOption(plan.command('run <name>'))))
    .description('run a plan template, with a worker in this process, and show how far it has come')
    .addOption(
      new Option('--param <name=value>', 'a parameter; a list is separated by commas; repeatable')
        .argParser(collectValues)
        .default([], 'none'),
    )
    .option('--agent <name>', "an agent of the module's (default: one that works on code, in --root)")
    .action(
      act(async (terminal, name: string, flags: PlanRunFlags) =>
        (await import('./run.js')).runPlan(terminal, await load(), name, flags),
      ),
    );

  const agent = program.command('agent').description('the built-in agent that works on code, on a task of yours');
  for (const [name, takes, planName, parameter] of [
    ['debug', 'what goes wrong', 'debug_bug', 'error'],
    ['implement', 'what is wanted', 'implement_feature', 'feature'],
  ] as const) {
    addRunFlags(addFolderOptions(agent.command(name).argument('<text>', takes)))
      .description(`run the plan template ${planName}`)
      .option('--files <files>', 'files to begin with, separated by commas')
      .action(
        act(async (terminal, text: string, flags: AgentTaskFlags) =>
          (await import('./run.js')).runAgentTask(terminal, await load(), { planName, parameter, text }, flags),
        ),
      );
  }
}

function addModuleOption(command: Command): Command {
  return command.option(
    '--module <file>',
    'where your plan templates and agents are (default: ./agents.ts, where there is one)',
  );
}

function addFolderOptions(command: Command): Command {
  return command
    .option('--root <folder>', 'the folder that the agent works in (default: the current one)')
    .option('--tests <command>', 'what runs the tests (default: npm test, where package.json has them)');
}
