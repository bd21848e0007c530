/** `longhand chain export | import | verify | replay | debug`: chains taken away, proven, and run again. */

import { type Command, Option } from 'commander';
import { collectValues } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { DebugFlags } from './debug.js';
import type { ChainExportFlags } from './export.js';
import type { ImportFlags } from './import.js';
import type { ReplayFlags } from './replay.js';
import type { ChainVerifyFlags } from './verify.js';

export function addReplayCommands(chain: Command, act: CommandAction): void {
  chain
    .command('export <chain>')
    .description('write a chain to a file that stands alone; json and history hold it whole, with every word')
    .addOption(
      new Option('--format <format>', 'facts with digests, a report to read, or the history as Temporal has it')
        .choices(['json', 'markdown', 'history'])
        .default('json'),
    )
    .option('--json', 'the same as --format json')
    .option('--out <file>', 'instead of standard output')
    .option(
      '--as <role>',
      'of a report: as who sees it, end_user, developer (default), auditor, or one of --visibility',
    )
    .option('--visibility <file>', 'of a report: rules on who sees what, as JSON')
    .option('--expand <ids>', 'of a report: steps to open where they are summed up: 3.1,4 or all')
    .action(
      act(async (terminal, id: string, flags: ChainExportFlags) =>
        (await import('./export.js')).exportChain(terminal, id, flags),
      ),
    );

  chain
    .command('import <file>')
    .description('prove a file and say what it holds; nothing is kept, every command reads the file itself')
    .option('--as <role>', 'as who sees it: end_user, developer, auditor, or one of --visibility', 'developer')
    .option('--visibility <file>', 'rules on who sees what, as JSON')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, file: string, flags: ImportFlags) =>
        (await import('./import.js')).importFile(terminal, file, flags),
      ),
    );

  chain
    .command('verify <chain>')
    .description(
      'fold the facts again and compare them with the digests that each model call carries; exit 1 if they part',
    )
    .option('--as <role>', 'auditor is shown a definition or a result that was altered', 'developer')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, id: string, flags: ChainVerifyFlags) =>
        (await import('./verify.js')).verifyChain(terminal, id, flags),
      ),
    );

  chain
    .command('replay <chain>')
    .description(
      'run a chain again by the code as it is, on its recorded replies and results; exit 1 if it goes another way',
    )
    .option(
      '--with-tool <name=file>',
      'let this module answer the calls of a tool: get_weather=./fake.ts',
      collectValues,
      [],
    )
    .option('--from-step <number>', 'take the steps before as they were')
    .option(
      '--as <role>',
      'as who sees what differs: end_user, developer, auditor, or one of --visibility',
      'developer',
    )
    .option('--visibility <file>', 'rules on who sees what, as JSON')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, id: string, flags: ReplayFlags) =>
        (await import('./replay.js')).printReplay(terminal, id, flags),
      ),
    );

  chain
    .command('debug <history>')
    .description('replay a history through the workflow code as it is, and say where the two part')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, named: string, flags: DebugFlags) => {
        const { debugChain: debug, silenceRuntime: quietRuntime } = await import('./debug.js');
        quietRuntime();
        return debug(terminal, named, flags);
      }),
    );
}
