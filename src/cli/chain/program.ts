/** `longhand chain …`: the commands that read chains. Each module is loaded when its command is called. */

import { type Command, Option } from 'commander';
import { outcomes } from '../../core/model/index.js';
import { addStepViewerOptions, addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { DiffFlags } from './diff.js';
import { addReplayCommands } from './program-replay.js';
import { addShortCommands } from './program-short.js';

const chainHelp = 'an id, the beginning of one, or a file with an exported chain or a downloaded history';

export function addChainCommands(program: Command, act: CommandAction): void {
  const chain = program
    .command('chain')
    .description('read, compare, fork and export chains, from the server, the archive or files');

  addViewerOptions(chain.command('list [files...]'), 'filter')
    .description('list the chains on the server and in the archive, or in files and folders; running chains first')
    .option('--agent <name>', 'only chains of this agent: name, or name@version')
    .addOption(new Option('--outcome <outcome>', 'only chains with this outcome').choices(outcomes))
    .addOption(
      new Option('--status <status>', 'only chains with this status').choices([
        'running',
        'waiting',
        'sleeping',
        'paused',
        'ended',
      ]),
    )
    .option('--tenant <name>', 'only chains of this tenant')
    .option('--since <time>', 'only chains started since: 30m, 2h, 7d, 2026-11-20')
    .option('--cost-over <usd>', 'only chains that cost at least this many US dollars')
    .option('--text <words>', 'only chains with this text in the task or the id; archived chains: also in their steps')
    .option('--all', 'list sub-chains as well; --status waiting, sleeping and paused always list them')
    .option('--root <chain>', 'only this chain and its sub-chains; an id or the beginning of one')
    .option('--thread <chain>', 'only the chains of this thread; the id of its first chain or the beginning of one')
    .option('--limit <chains>', 'maximum number of chains', '50')
    .action(act(async () => (await import('./list.js')).printChains));

  addStepViewerOptions(chain.command('at').argument('<chain>', chainHelp).argument('<step>', 'number of the step'))
    .description('show a chain as it was when a step was complete')
    .action(act(async () => (await import('./show-at-step.js')).showChainAt));

  addStepViewerOptions(chain.command('diff').argument('<a>', chainHelp).argument('<b>', 'another one'))
    .description('show the first difference of two chains')
    .option('--exit-code', 'exit 1 if the chains differ')
    .action(
      act(
        () => async (terminal, a: string, b: string, flags: DiffFlags) =>
          (await import('./diff.js')).diffChains(terminal, [a, b], flags),
      ),
    );

  addViewerOptions(chain.command('cost').argument('<chain>', chainHelp))
    .description('show the usage and cost of each step, and the remaining budget; every role sees them')
    .action(act(async () => (await import('./cost.js')).showCost));

  addStepViewerOptions(
    chain.command('blob').argument('<chain>', chainHelp).argument('[call]', 'such as 3.1 (default: the task)'),
  )
    .description('print the full observation of a call, or a file of a call or of the task')
    .option('--file <name>', 'print this file')
    .option('--out <file>', 'write to this file instead of standard output')
    .action(act(async () => (await import('./blob.js')).printBlob));

  addReplayCommands(chain, act, chainHelp);
  addShortCommands(chain, act, chainHelp);
  addShortCommands(program, act, chainHelp);
}
