/** The help of `longhand gateway` and its commands. */

import { expect, it } from 'vitest';
import { longhandHere } from '../../support/command-here.js';

const commands = [
  ...['', 'keys create', 'keys list', 'keys revoke', 'webhooks create', 'webhooks list', 'webhooks delete', 'link-key'],
];

it.each(commands)('of `gateway %s` states each default once, as a word', async (command) => {
  const { code, stdout } = await longhandHere(['gateway', ...command.split(' ').filter(Boolean), '--help']);
  expect(code).toBe(0);
  const options = stdout.split(/\n +(?=-)/).slice(1);
  for (const option of options) {
    expect(option.match(/default: /g)?.length ?? 0, option).toBeLessThanOrEqual(1);
    expect(option).not.toContain('[]');
  }
});

it('of a new key names what is required', async () => {
  const { stdout } = await longhandHere(['gateway', 'keys', 'create', '--help']);
  expect(stdout).toMatch(/--scope <names> +required: start, read/);
  expect(stdout).toMatch(/--view <roles> .*\(default: end_user\)/);
});
