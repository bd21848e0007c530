/** The commands `longhand chain export`, `import`, `verify`, `replay` and `debug`. */

import { type Command, Option } from 'commander';
import { collectValues } from '../flags/values.js';
import { addUserOptions, addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';

/** @param chainHelp describes the argument `<chain>` */
export function addReplayCommands(chain: Command, act: CommandAction, chainHelp: string): void {
  addUserOptions(chain.command('export').argument('<chain>', chainHelp))
    .description('write a chain to a self-contained file; json and history contain it in full, unmasked')
    .addOption(
      new Option('--format <format>', 'facts with digests, a report to read, or the Temporal history')
        .choices(['json', 'markdown', 'history'])
        .default('json'),
    )
    .option('--json', 'the same as --format json')
    .option('--out <file>', 'write to this file instead of standard output')
    .option(
      '--as <role>',
      'markdown only: role of the viewer: end_user, developer (default), auditor, or a role of --visibility',
    )
    .option('--visibility <file>', 'markdown only: visibility rules as JSON or YAML')
    .option('--expand <ids>', 'markdown only: summarized steps to show in full: 3.1,4 or all')
    .action(act(async () => (await import('./export.js')).exportChain));

  addViewerOptions(chain.command('import').argument('<file>', 'an exported chain or a downloaded history'))
    .description('verify a file and show what it contains; nothing is stored, every command reads the file itself')
    .action(act(async () => (await import('./import.js')).importFile));

  chain
    .command('verify')
    .argument('<chain>', chainHelp)
    .description('compare the facts with the digests that each model call carries; exit 1 if they differ')
    .option('--as <role>', 'role of the viewer; an auditor sees an altered definition or result', 'developer')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./verify.js')).verifyChain));

  addViewerOptions(chain.command('replay').argument('<chain>', chainHelp))
    .description('replay a chain with the current code on its recorded replies and results; exit 1 if it differs')
    .addOption(
      new Option(
        '--with-tool <name=file>',
        'execute the calls of a tool with this module: get_weather=./fake.ts; repeatable',
      )
        .argParser(collectValues)
        .default([], 'none'),
    )
    .option('--from-step <number>', 'replay from this step; take earlier steps as recorded')
    .action(act(async () => (await import('./replay.js')).printReplay));

  chain
    .command('debug <history>')
    .description('replay a history through the current workflow code and show where they diverge')
    .option('--json', 'print JSON')
    .action(
      act(async () => {
        const { debugChain, silenceRuntime } = await import('./debug.js');
        silenceRuntime();
        return debugChain;
      }),
    );
}
