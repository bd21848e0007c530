/** `longhand archive …`: what outlives Temporal's retention. Each command is loaded when it is called. */

import type { Command } from 'commander';
import type { Act } from '../chain/act.js';
import type { EraseFlags } from './erase.js';
import type { SweepFlags } from './sweep.js';

export function addArchiveCommands(program: Command, act: Act): void {
  const archive = program.command('archive').description('chains beyond the time that Temporal keeps them');

  archive
    .command('sweep')
    .description('archive every closed run that is not archived yet, and delete what was kept for long enough')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: SweepFlags) => (await import('./sweep.js')).sweepAll(terminal, flags)));

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
