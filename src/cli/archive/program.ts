/** `longhand archive …`: chains that outlive Temporal's retention. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { costGroupings, costPeriods } from '../../core/record/index.js';
import { addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';

export function addArchiveCommands(program: Command, act: CommandAction): void {
  program
    .command('cost')
    .description(
      'sum up the cost of archived chains, by tenant, agent, model or tool; by strategy, plan template or prompt also their outcomes',
    )
    .addOption(new Option('--by <group>', 'what the cost is summed up by').choices(costGroupings).default('tenant'))
    .option('--since <time>', 'only chains started since: 12h, 30d, 2026-11-20')
    .option('--until <time>', 'only chains started before')
    .addOption(
      new Option('--per <period>', 'a sum for each period, by the start of the chains in UTC').choices(costPeriods),
    )
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action(act(async () => (await import('./cost.js')).reportCosts));

  const archive = program.command('archive').description('list, sweep, prune and erase archived chains');

  addViewerOptions(archive.command('list'), 'filter')
    .description('list archived chains, newest first, with the end of their retention')
    .option('--agent <name>', 'only chains of this agent: name, or name@version')
    .option('--tenant <name>', 'only chains of this tenant')
    .option('--outcome <outcome>', 'only chains with this outcome')
    .option('--since <time>', 'only chains started since: 30m, 2h, 7d, 2026-11-20')
    .option('--limit <chains>', 'maximum number of chains', '50')
    .action(act(async () => (await import('./list.js')).listArchive));

  archive
    .command('prune')
    .description('delete archived chains whose retention has ended (LONGHAND_RETENTION)')
    .option('--at-once', 'skip the grace period of one day')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./sweep.js')).pruneArchive));

  archive
    .command('sweep')
    .description('archive closed chains that are not archived yet, and prune the archive')
    .option('--visibility <file>', 'visibility rules as JSON; hidden text is left out of the search index')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./sweep.js')).sweepArchive));

  archive
    .command('erase')
    .description('erase the content of a chain and its sub-chains, of a person or of a tenant; their digests remain')
    .option('--chain <chain>', 'full id of the chain')
    .option('--user <name>', 'person whose chains are erased')
    .option('--tenant <name>', 'tenant whose chains are erased')
    .option('--by <name>', 'person who erases (default: the logged-in user)')
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./erase.js')).eraseContent));
}
