/** `longhand workflow …` and `longhand agent …`: plans for tasks of one kind. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { withRunFlags } from '../flags/start-flags.js';
import { collect } from '../flags/values.js';
import type { RunTask } from '../run/run-task.js';
import type { Act } from '../terminal/terminal.js';
import type { AgentTaskFlags, WorkflowFlags } from './run.js';
import type { ListFlags } from './show.js';

/** @param load gives what runs a task: it needs Temporal, which the others do not */
export function addWorkflowCommands(program: Command, act: Act, load: () => Promise<RunTask>): void {
  const workflow = program.command('workflow').description('workflows: plans that agents work by');

  withModule(workflow.command('list'))
    .description('list the workflows that there are')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: ListFlags) => (await import('./show.js')).list(terminal, flags)));

  withModule(workflow.command('show <name>'))
    .description('show the steps of a workflow, and what it takes')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, name: string, flags: ListFlags) => (await import('./show.js')).show(terminal, name, flags)),
    );

  withRunFlags(withFolder(withModule(workflow.command('run <name>'))))
    .description('run a workflow, with a worker in this process, and show how far it has come')
    .addOption(
      new Option('--param <name=value>', 'a parameter; a list is separated by commas; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--agent <name>', "an agent of the module's (default: one that works on code, in --root)")
    .action(
      act(async (terminal, name: string, flags: WorkflowFlags) =>
        (await import('./run.js')).runWorkflow(terminal, await load(), name, flags),
      ),
    );

  const agent = program.command('agent').description('the built-in agent that works on code, on a task of yours');
  for (const [name, takes, workflowName, parameter] of [
    ['debug', 'what goes wrong', 'debug_bug', 'error'],
    ['implement', 'what is wanted', 'implement_feature', 'feature'],
  ] as const) {
    withRunFlags(withFolder(agent.command(name).argument('<text>', takes)))
      .description(`run the workflow ${workflowName}`)
      .option('--files <files>', 'files to begin with, separated by commas')
      .action(
        act(async (terminal, text: string, flags: AgentTaskFlags) =>
          (await import('./run.js')).runAgentTask(terminal, await load(), { workflowName, parameter, text }, flags),
        ),
      );
  }
}

function withModule(command: Command): Command {
  return command.option(
    '--module <file>',
    'where your workflows and agents are (default: ./agents.ts, where there is one)',
  );
}

function withFolder(command: Command): Command {
  return command
    .option('--root <folder>', 'the folder that the agent works in (default: the current one)')
    .option('--tests <command>', 'what runs the tests (default: npm test, where package.json has them)');
}
