/** `longhand gateway webhooks …`: where events of chains are sent. Each command is loaded when it is called. */

import type { Command } from 'commander';
import { createListOption } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';

/** @param gateway the command `gateway` */
export function addGatewayWebhookCommands(gateway: Command, act: CommandAction): void {
  const webhooks = gateway
    .command('webhooks')
    .description('create, list and delete webhooks: events of chains by HTTP');
  webhooks
    .command('create')
    .argument('<url>', 'receiver, with https; http only on this machine')
    .description('create a webhook for the chains of a tenant, and print its secret, this once')
    .option('--tenant <id>', 'tenant of the chains (default: chains without a tenant)')
    .addOption(createListOption('--event <types>', 'chain-ended, chain-waiting, chain-held', 'all'))
    .addOption(createListOption('--agent <names>', 'only chains of these agents', 'all'))
    .option('--sub-chains', 'also the ends of sub-chains')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./webhooks.js')).createWebhook));
  webhooks
    .command('list')
    .description('list the webhooks with their last attempts, never their secrets')
    .option('--tenant <id>', 'only those of a tenant')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./webhooks.js')).listWebhooks));
  webhooks
    .command('delete')
    .argument('<webhook>', 'its id')
    .description('delete a webhook: it gets nothing more, also not what is being retried')
    .action(act(async () => (await import('./webhooks.js')).deleteWebhook));
}
