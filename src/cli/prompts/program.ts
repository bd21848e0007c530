/** `longhand prompts …`: the prompts of a folder. Each command is loaded when it is called. */

import type { Command } from 'commander';
import { createListOption } from '../flags/values.js';
import { addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';

export function addPromptsCommands(program: Command, act: CommandAction): void {
  const prompts = program.command('prompts').description('list, show, compare and check the prompts of a folder');
  const add = (command: Command) => command.option('--folder <folder>', 'folder of the prompts', 'prompts');
  const variables = () => createListOption('--var <name=value>', 'value of a variable; repeatable', 'none');

  add(prompts.command('list'))
    .description('list the prompts with their versions and variables')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./prompts.js')).listPrompts));

  add(prompts.command('show <name>'))
    .description('show a prompt with the values of its variables, as the model sees it')
    .addOption(variables())
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./prompts.js')).showPromptFile));

  add(prompts.command('check'))
    .description('validate all prompts')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 if all prompts are valid, 1 if one is not.')
    .action(act(async () => (await import('./prompts.js')).checkPrompts));

  addViewerOptions(add(prompts.command('diff <a> [b]')))
    .description('compare two prompts, or two files; with --chain, the instructions of a chain with a prompt')
    .option('--chain <chain>', 'compare the instructions of this chain')
    .addOption(variables())
    .action(act(async () => (await import('./diff.js')).diffPrompts));

  addViewerOptions(prompts.command('example <chain>'))
    .description('print a chain that ended as success as an example, for the front matter of a prompt')
    .action(act(async () => (await import('./diff.js')).printExample));
}
