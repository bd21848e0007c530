/** Options that were given nothing. */

import { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import { collect, refuseEmptyOptions } from '../../../src/cli/flags/collect.js';

function parsed(...args: readonly string[]): () => void {
  const action = vi.fn();
  const program = new Command().exitOverride().hook('preAction', (_, command) => refuseEmptyOptions(command));
  program
    .command('chain')
    .command('fork <chain>')
    .option('--steer <text>')
    .option('--limit <name=value>', 'repeatable', collect, [])
    .option('--wait')
    .action(action);
  program.parse(['chain', 'fork', 'c', ...args], { from: 'user' });
  return action;
}

it.each([
  [['--steer', ''], '--steer is empty.'],
  [['--steer', ' \n'], '--steer is empty.'],
  [['--limit', 'steps=1', '--limit', ''], '--limit is empty.'],
])('%j is refused', (args, says) => {
  expect(() => parsed(...args)).toThrow(says);
});

it('what has a value, or takes none, is carried out', () => {
  expect(parsed('--steer', 'Go on', '--limit', 'steps=1', '--wait')).toHaveBeenCalledOnce();
  expect(parsed()).toHaveBeenCalledOnce();
});
