/** `longhand reply`: its arguments and flags. */

import type { Command } from 'commander';
import { addContextFlags, addNextChainFlags } from '../flags/start-flags.js';
import type { CommandAction } from '../terminal/terminal.js';

export function addReplyCommand(program: Command, act: CommandAction): void {
  const command = program
    .command('reply')
    .argument('<chain>', 'a chain of the conversation: its id, or the beginning of one')
    .argument('<text>', 'the next message of the user');
  addContextFlags(addNextChainFlags(command))
    .description('continue the conversation of a chain that has ended, and print the id of the new chain')
    .option('--tenant <name>', "tenant of the conversation; another's is rejected (default: that of its chains)")
    .option('--wait', 'follow the chain until it ends')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./reply.js')).replyToChain));
}
