/** `longhand keys`: the file of master keys that payloads are encrypted with. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';
import type { KeyListFlags, RotateFlags } from './keys.js';

const fileHelp = 'the key file (default: LONGHAND_ENCRYPTION_KEYS)';

export function addKeysCommands(program: Command, act: CommandAction): void {
  const keys = program.command('keys').description('make and change the keys that chains are encrypted with');
  keys
    .command('new')
    .argument('[file]', fileHelp)
    .description('write a key file with one key, for its owner alone; one that is there is left as it is')
    .action(act(async (terminal, file?: string) => (await import('./keys.js')).writeNewKeyFile(terminal, file)));
  keys
    .command('rotate')
    .argument('[file]', fileHelp)
    .description('add a key and encrypt with it from now on; what the old ones encrypted stays readable')
    .option('--later', 'only add it: copy the file to all machines, then --to')
    .option('--to <key>', 'add none, and encrypt with this one from now on')
    .action(
      act(async (terminal, file: string | undefined, flags: RotateFlags) =>
        (await import('./keys.js')).rotateKeys(terminal, file, flags),
      ),
    );
  keys
    .command('list')
    .argument('[file]', fileHelp)
    .description('list the ids of the keys, never the keys')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, file: string | undefined, flags: KeyListFlags) =>
        (await import('./keys.js')).listKeys(terminal, file, flags),
      ),
    );
}
