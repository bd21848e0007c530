/** `longhand gateway keys …`: API keys of the gateway. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { createListOption } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';

/** @param gateway the command `gateway` */
export function addGatewayKeyCommands(gateway: Command, act: CommandAction): void {
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
