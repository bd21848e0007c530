/** `longhand plan …` and `longhand agent …`: the commands of plan templates. Each module is loaded when it is called. */

import { type Command, Option } from 'commander';
import { addRunFlags } from '../flags/start-flags.js';
import { collectValues } from '../flags/values.js';
import type { RunTask } from '../run/run-task.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { AgentTaskFlags, PlanRunFlags } from './run.js';

/** @param load loads the function that runs a task: it needs Temporal, the other commands do not */
export function addPlanCommands(program: Command, act: CommandAction, load: () => Promise<RunTask>): void {
  const plan = program.command('plan').description('list, show and run plan templates: plans with parameters');

  addModuleOption(plan.command('list'))
    .description('list the plan templates')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./show.js')).printPlans));

  addModuleOption(plan.command('show <name>'))
    .description('show the steps and parameters of a plan template')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./show.js')).showPlan));

  addRunFlags(addFolderOptions(addModuleOption(plan.command('run <name>'))))
    .description('run a plan template with a worker in this process and show its progress')
    .addOption(
      new Option('--param <name=value>', 'parameter; separate the items of a list by commas; repeatable')
        .argParser(collectValues)
        .default([], 'none'),
    )
    .option('--agent <name>', 'agent of the module (default: the built-in coding agent)')
    .action(
      act(
        () => async (terminal, name: string, flags: PlanRunFlags) =>
          (await import('./run.js')).runPlan(terminal, await load(), name, flags),
      ),
    );

  const agent = program.command('agent').description('run the built-in coding agent in the current Git repository');
  for (const [name, takes, planName] of [
    ['debug', 'the error', 'debug_bug'],
    ['implement', 'the feature', 'implement_feature'],
  ] as const) {
    addRunFlags(addFolderOptions(agent.command(name).argument('<text>', takes)))
      .description(`run the built-in coding agent with the plan template ${planName}, or another`)
      .option('--plan <name>', 'plan template that takes the text as its first parameter', planName)
      .option('--module <file>', 'module with your plan templates (default: ./agents.ts, if it exists)')
      .option('--files <files>', 'files to read first, separated by commas')
      .action(
        act(
          () => async (terminal, text: string, flags: AgentTaskFlags) =>
            (await import('./run.js')).runAgentTask(terminal, await load(), text, flags),
        ),
      );
  }
}

function addModuleOption(command: Command): Command {
  return command.option(
    '--module <file>',
    'module with your plan templates and agents (default: ./agents.ts, if it exists)',
  );
}

function addFolderOptions(command: Command): Command {
  return command
    .option('--root <folder>', 'working folder of the agent (default: the current folder)')
    .option('--tests <command>', 'command that runs the tests (default: npm test, if package.json has tests)');
}
