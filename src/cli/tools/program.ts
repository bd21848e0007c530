/** `longhand tools …`: the tools of a module's agents, and checks of arguments. Each command is loaded when it is called. */

import type { Command } from 'commander';
import { type CommandAction, drainOutput } from '../terminal/terminal.js';
import type { ToolsFlags } from './list.js';
import type { ShowFlags } from './show.js';

export function addToolsCommands(program: Command, act: CommandAction): void {
  const tools = program
    .command('tools')
    .description("list and show the tools of a module's agents, and check arguments");
  tools
    .command('list <module>')
    .description("list the tools of a module's agents")
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, module: string, flags: ToolsFlags) =>
        (await import('./list.js')).listTools(terminal, module, flags),
      ),
    );
  tools
    .command('show <module> <tool>')
    .description('show the definition of a tool, with its defaults')
    .option('--agent <name>', 'agent that has the tool, where several have different ones of the name')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, module: string, tool: string, flags: ShowFlags) =>
        (await import('./show.js')).showTool(terminal, module, tool, flags),
      ),
    );
  tools
    .command('check')
    .description('validate arguments by JSON Schemas from standard input')
    .requiredOption(
      '--jsonl',
      'read one {"id", "schema", "args"} per line, write one {"id", "valid", "errors"} for each',
    )
    .addHelpText('after', '\nExit code: 0 if all lines were checks, valid or not; 1 if a line was not.')
    .action(
      act(async (terminal) => {
        const streams = { input: process.stdin, write: terminal.writeRaw, drain: drainOutput };
        return (await import('./check.js')).checkLines(streams);
      }),
    );
}
