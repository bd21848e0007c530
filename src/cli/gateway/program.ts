/** `longhand gateway`: serves chains over HTTP; its keys, webhooks and links. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { defaultGatewayPort } from '../../gateway/index.js';
import { createListOption } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';

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
  addKeyCommands(gateway, act);
  addWebhookCommands(gateway, act);
  gateway
    .command('link-key')
    .description('print a new key for LONGHAND_LINK_KEYS, which signs links that decide requests')
    .action(act(async () => (await import('./keys.js')).printLinkKey));
}

function addKeyCommands(gateway: Command, act: CommandAction): void {
  const keys = gateway.command('keys').description('create, list and revoke API keys of the gateway');
  keys
    .command('create')
    .argument('<name>', 'for people: what uses the key')
    .description('create an API key and print it, this once')
    .option('--tenant <id>', 'tenant of all chains that the key starts and reads; required without --all-tenants')
    .option('--all-tenants', 'every tenant')
    .option('--user <id>', 'user of all chains that the key starts; required without --service')
    .option('--service', 'a program that states the user of each chain')
    .addOption(
      createListOption('--scope <names>', 'required: start, read, decide, direct, audit, admin; several with commas'),
    )
    .addOption(createListOption('--role <names>', 'roles of the user in decisions; a service states them', 'none'))
    .addOption(createListOption('--view <roles>', 'roles to read as', 'end_user'))
    .addOption(
      new Option(
        '--reach <chains>',
        'own: only chains of the user (default: own for a user, all for a service)',
      ).choices(['own', 'all']),
    )
    .option('--rate <number>', "requests per minute (default: the gateway's)")
    .option('--expires <duration>', '90d, 12h (default: never)')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./keys.js')).createGatewayKey));
  keys
    .command('list')
    .description('list the keys, never their secrets')
    .option('--tenant <id>', 'only those of a tenant')
    .option('--all', 'also revoked and expired keys')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./keys.js')).listGatewayKeys));
  keys
    .command('revoke')
    .argument('<key>', 'the id of the key: the part after lh_')
    .description('revoke a key permanently')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./keys.js')).revokeGatewayKey));
}

function addWebhookCommands(gateway: Command, act: CommandAction): void {
  const webhooks = gateway
    .command('webhooks')
    .description('create, list and delete webhooks: events of chains by HTTP');
  webhooks
    .command('create')
    .argument('<url>', 'receiver, with https; http only on this machine')
    .description('create a webhook for the chains of a tenant, and print its secret, this once')
    .option('--tenant <id>', 'tenant of the chains (default: chains without a tenant)')
    .addOption(createListOption('--event <types>', 'chain-ended, chain-waiting, chain-held, budget-alert', 'all'))
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
