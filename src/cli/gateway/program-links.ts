/** `longhand gateway link-key`: a key for signed links. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';

/** @param gateway the command `gateway` */
export function addGatewayLinkCommands(gateway: Command, act: CommandAction): void {
  gateway
    .command('link-key')
    .description('print a new key for LONGHAND_LINK_KEYS, which signs links that decide requests')
    .action(act(async (terminal) => (await import('./link.js')).printLinkKey(terminal)));
}
