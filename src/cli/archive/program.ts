/** `longhand archive …`: what outlives Temporal's retention. Each command is loaded when it is called. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';
import type { EraseFlags } from './erase.js';
import type { ArchiveListFlags } from './list.js';
import type { PruneFlags, SweepFlags } from './sweep.js';

export function addArchiveCommands(program: Command, act: CommandAction): void {
  const archive = program.command('archive').description('chains beyond the time that Temporal keeps them');

  archive
    .command('list')
    .description('list the archived chains, the newest first, and until when they are kept')
    .option('--agent <name>')
    .option('--tenant <name>')
    .option('--outcome <outcome>')
    .option('--since <time>', 'started since then: 30m, 2h, 7d, 2026-11-20')
    .option('--limit <chains>', 'the most that are shown', '50')
    .option('--as <role>', 'as who sees it: end_user, developer, auditor, or a role of --visibility', 'developer')
    .option('--visibility <file>', 'rules on who sees what, as JSON')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: ArchiveListFlags) => (await import('./list.js')).listArchive(terminal, flags)));

  archive
    .command('prune')
    .description('delete the archived chains that were kept for long enough (LONGHAND_RETENTION)')
    .option('--at-once', 'also what was found to be due less than a day ago')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: PruneFlags) => (await import('./sweep.js')).pruneArchive(terminal, flags)));

  archive
    .command('sweep')
    .description('archive every closed run that is not archived yet, and delete what was kept for long enough')
    .option('--visibility <file>', 'rules on who sees what, as JSON: what nobody may see is not found by text')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: SweepFlags) => (await import('./sweep.js')).sweepArchive(terminal, flags)));

  archive
    .command('erase')
    .description('erase the content of a chain with all below it, of a person’s chains, or of a tenant’s; digests stay')
    .option('--chain <chain>', 'its whole id')
    .option('--user <name>', 'whose chains')
    .option('--tenant <name>', 'whose chains')
    .option('--by <name>', 'who erases (default: who is logged in)')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: EraseFlags) => (await import('./erase.js')).eraseContent(terminal, flags)));
}
