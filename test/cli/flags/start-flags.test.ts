/** The flags of commands that start a chain. */

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import {
  addContextFlags,
  addNextChainFlags,
  addRunFlags,
  addStartFlags,
  type StartFlags,
  toStartOptions,
} from '../../../src/cli/flags/start-flags.js';
import { matchError } from '../../support/match-error.js';

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

it.each([
  ['run', addRunFlags],
  ['start', addStartFlags],
  ['reply and fork', addNextChainFlags],
])('%s names, repeatably, the classes of the data', (_, add) => {
  const { dataClass } = parseFlags(add, '--data-class', 'personal', '--data-class', 'health');
  expect(dataClass).toEqual(['personal', 'health']);
  expect(parseFlags(add).dataClass).toEqual([]);
});

it.each([
  ['run', addRunFlags],
  ['start', addStartFlags],
  ['reply and fork', addNextChainFlags],
])('%s takes free metadata, member by member: JSON or a text', (_, add) => {
  const { metadata } = parseFlags(add, '--metadata', 'ticket=A-17', '--metadata', 'rank=3', '--metadata', 'q=a=b');
  expect(metadata).toEqual({ ticket: 'A-17', rank: 3, q: 'a=b' });
  expect(parseFlags(add)).not.toHaveProperty('metadata');
  expect(() => parseFlags(add, '--metadata', 'ticket')).toThrow(matchError('usage', 'Write name=value'));
});

it('texts and files are the context of a task', () => {
  const file = join(tmpdir(), `longhand-context-${process.pid}.txt`);
  writeFileSync(file, 'It is red.\n');
  const given = ['--context', 'It is new.', '--context', 'It is small.', '--file', file];
  expect(parseFlags(addRunFlags, ...given).context).toEqual({
    Context: 'It is new.\n\nIt is small.',
    [file]: 'It is red.\n',
  });
  expect(parseFlags((command) => addContextFlags(addStartFlags(command))).context).toBeUndefined();
  for (const bytes of ['%PDF-1.4 in ASCII', Buffer.from([0xff, 0xfe, 0x41])]) {
    writeFileSync(file, bytes);
    expect(parseFlags(addRunFlags, '--file', file).context).toEqual({ [file]: Buffer.from(bytes) });
  }
  expect(() => parseFlags(addRunFlags, '--file', 'nowhere')).toThrow(matchError('usage', 'nowhere: ENOENT'));
});
