/** The flags of commands that start a chain. */

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addRunFlags, addStartFlags, type StartFlags, toStartOptions } from '../../../src/cli/flags/start-flags.js';

function parseFlags(add: (command: Command) => Command, ...args: readonly string[]) {
  const command = add(new Command().exitOverride());
  return toStartOptions(command.parse(args, { from: 'user' }).opts<StartFlags>());
}

it.each([
  ['run', addRunFlags],
  ['start', addStartFlags],
])('%s names the tenant, the user and, repeatably, the roles of the chain', (_, add) => {
  const given = ['--tenant', 'acme', '--user', 'tom', '--role', 'treasury', '--role', 'board'];
  expect(parseFlags(add, ...given)).toMatchObject({ tenant: 'acme', user: 'tom', roles: ['treasury', 'board'] });
  // A fork without --role keeps the roles of its origin.
  expect(parseFlags(add)).toMatchObject({ roles: undefined });
});
