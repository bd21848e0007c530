/** `longhand preferences …`: the switches of a user. The module is loaded when a command is called. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';

export function addPreferenceCommands(program: Command, act: CommandAction): void {
  const preferences = program.command('preferences').description('show and set what a user sees of chains');
  addUserOptions(preferences.command('show'))
    .description('show the switches of a user')
    .action(act(async () => (await import('./preferences.js')).showPreferences));
  addUserOptions(preferences.command('set').argument('<switches...>', 'thinking=off externalCalls=on'))
    .description('switch parts of the view on or off; the other switches stay')
    .action(act(async () => (await import('./preferences.js')).setPreferences));
}

function addUserOptions(command: Command): Command {
  return command
    .option('--user <id>', 'the user (default: the logged-in user)')
    .option('--tenant <id>', 'tenant of the user (default: none)')
    .option('--json', 'print JSON');
}
