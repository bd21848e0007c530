/** `longhand chain fork`, as commander knows it. */

import type { Command } from 'commander';
import { collect } from '../flags/collect.js';
import type { Act } from '../terminal/act.js';
import type { ForkFlags } from './fork.js';

export function addForkCommand(chain: Command, act: Act): void {
  chain
    .command('fork <chain>')
    .description('start a chain that begins with the first steps of another, which cost it nothing')
    .option('--at-step <number>', 'the last step that it begins with (default: the last there is)')
    .option('--steer <text>', 'what to tell the model before it goes on; a chain that has answered needs it')
    .option('--model <name>', "instead of the chain's model")
    .option('--limit <name=value>', 'steps=5, tokens=20000, cost=0.25, time=30s or stall=3; repeatable', collect, [])
    .option('--id <chain>', "the new chain's id (default: made from the agent's name)")
    .option('--tenant <name>', 'for whom (default: as the chain)')
    .option('--user <name>', 'who asked (default: as the chain)')
    .option('--task-queue <name>', 'where the workers listen')
    .option('--wait', 'follow it to its end')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, id: string, flags: ForkFlags) => (await import('./fork.js')).fork(terminal, id, flags)),
    );
}
