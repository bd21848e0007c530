/** `longhand tools …`: the tools of a module's agents, and checks of arguments. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { createModuleOption } from '../flags/module-option.js';
import { addStartFlags } from '../flags/start-flags.js';
import { type CommandAction, drainOutput } from '../terminal/terminal.js';
import type { CallTool } from './call.js';

/** @param load loads the function that calls a tool: it needs Temporal, the other commands do not */
export function addToolsCommands(program: Command, act: CommandAction, load: () => Promise<CallTool>): void {
  const tools = program
    .command('tools')
    .description("list, show and call the tools of a module's agents, and check arguments");
  tools
    .command('list')
    .description("list the tools of a module's agents")
    .addOption(createModuleOption())
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./list.js')).listTools));
  tools
    .command('show <tool>')
    .description('show the definition of a tool, with its defaults')
    .addOption(createModuleOption())
    .addOption(createAgentOption())
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./show.js')).showTool));
  addStartFlags(
    tools
      .command('call <tool> <arguments>')
      .description('run one call of a tool in a chain of its own, without a model')
      .addOption(createModuleOption())
      .addOption(createAgentOption()),
  )
    .option('--json', 'print only the call, as one JSON object')
    .addHelpText('after', '\nExit code: 0 if the call has a result, 1 if it failed or was not run.')
    .action(act(load));
  tools
    .command('check')
    .description('validate arguments by JSON Schemas from standard input')
    .requiredOption(
      '--jsonl',
      'read one {"id", "schema", "args"} per line, write one {"id", "valid", "errors"} for each',
    )
    .addHelpText('after', '\nExit code: 0 if all lines were checks, valid or not; 1 if a line was not.')
    .action(
      act(() => async (terminal) => {
        const streams = { input: process.stdin, write: terminal.writeRaw, drain: drainOutput };
        return (await import('./check.js')).checkLines(streams);
      }),
    );
}

function createAgentOption(): Option {
  return new Option('--agent <name>', 'agent that has the tool, where several have different ones of the name');
}
