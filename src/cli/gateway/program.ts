/** `longhand gateway`: serves chains over HTTP; its keys, webhooks and links. Each command is loaded when it is called. */

import type { Command } from 'commander';
import { defaultGatewayPort } from '../../gateway/index.js';
import { createListOption } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import { addGatewayKeyCommands } from './program-keys.js';
import { addGatewayWebhookCommands } from './program-webhooks.js';

export function addGatewayCommands(program: Command, act: CommandAction): void {
  const gateway = program
    .command('gateway')
    .description('serve chains over HTTP, until stopped')
    .option('--host <address>', 'address to listen on; another than this machine needs --keys or --jwt', '127.0.0.1')
    .option('--port <number>', 'port to listen on', String(defaultGatewayPort))
    .option('--keys', 'accept API keys: see gateway keys')
    .option('--jwt <file>', 'accept tokens of the issuers in this file, YAML or JSON')
    .addOption(createListOption('--origin <url>', 'origin of pages that may call the gateway; repeatable', 'none'))
    .option('--visibility <file>', 'rules of visibility, YAML or JSON')
    .option('--public-url <url>', 'address under which people reach the gateway, for links')
    .option('--proxies <number>', 'proxies in front of the gateway, for the addresses of clients', '0')
    .option('--task-queue <name>', "task queue of the agents' workers (default: longhand)")
    .action(act(async () => (await import('./serve.js')).runGateway));
  addGatewayKeyCommands(gateway, act);
  addGatewayWebhookCommands(gateway, act);
  gateway
    .command('link-key')
    .description('print a new key for LONGHAND_LINK_KEYS, which signs links that decide requests')
    .action(act(async () => (await import('./keys.js')).printLinkKey));
}
