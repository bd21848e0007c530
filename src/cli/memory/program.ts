/** `longhand memory …`: what agents remember between chains. The module is loaded when a command is called. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';

export function addMemoryCommands(program: Command, act: CommandAction): void {
  const memory = program.command('memory').description('list, show and erase what agents remember between chains');
  addFilterOptions(memory.command('list'))
    .description('list the texts, without their content')
    .action(act(async () => (await import('./memory.js')).listMemories));
  addFilterOptions(memory.command('show').argument('<key>', 'key of the text'))
    .description('show the texts of a key')
    .action(act(async () => (await import('./memory.js')).showMemory));
  addFilterOptions(memory.command('erase').argument('[key]', 'key of the text (default: all keys)'))
    .description('erase texts of an agent, a tenant or a user')
    .option('--yes', 'confirm')
    .action(act(async () => (await import('./memory.js')).eraseMemory));
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--agent <name>', 'only of this agent')
    .option('--tenant <name>', 'only of this tenant')
    .option('--user <name>', 'only those that this user owns, or whose chains wrote them')
    .option('--json', 'print JSON');
}
