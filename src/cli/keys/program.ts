/** `longhand keys …`: the file of master keys that encrypt payloads. Each command is loaded when it is called. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';

const fileHelp = 'the key file (default: LONGHAND_ENCRYPTION_KEYS)';

export function addKeysCommands(program: Command, act: CommandAction): void {
  const keys = program.command('keys').description('create, rotate and list encryption keys');
  keys
    .command('new')
    .argument('[file]', fileHelp)
    .description('create a key file with one key; an existing file is never replaced')
    .action(act(async () => (await import('./keys.js')).writeNewKeyFile));
  keys
    .command('rotate')
    .argument('[file]', fileHelp)
    .description('add a key and encrypt with it; the old keys still decrypt')
    .option('--later', 'only add the key: copy the file to all machines, then use --to')
    .option('--to <key>', 'encrypt with this existing key')
    .action(act(async () => (await import('./keys.js')).rotateKeys));
  keys
    .command('list')
    .argument('[file]', fileHelp)
    .description('list the ids of the keys, never the keys themselves')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./keys.js')).listKeys));
}
