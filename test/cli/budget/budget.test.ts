/** `longhand budget`: people set budgets, see what is used of them, and raise them; each change is in the audit log. */

import { expect, it } from 'vitest';
import { createLedger } from '../../../src/store/index.js';
import { longhandHere } from '../../support/command-here.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();
const run = (...args: readonly string[]) => longhandHere(args, { LONGHAND_STORE: stored.where });

it('sets budgets, shows what was used, raises one in its window, and removes it', async () => {
  expect((await run('budget', 'list')).stdout).toBe(
    'There are no budgets. Set one: longhand budget set --tenant acme --per day --usd 50.\n',
  );
  await run('budget', 'set', '--tenant', '*', '--per', 'day', '--usd', '10', '--on-limit', 'ask');
  await run('budget', 'set', '--per', 'month', '--usd', '5000', '--tokens', '2000000000');
  expect((await run('budget', 'list')).stdout).toContain('each tenant  day    $10.00                          ask');
  const call = { namespace: 'default', tenant: 'acme', agent: 'clerk', model: { name: 'opus', id: 'opus-5' } };
  const amounts = { calls: 1, tokens: 20_000, usd: 8.5 };
  const reserved = await createLedger(stored.store).reserve({
    ...{
      ...call,
      amounts,
      id: '1',
      ticket: '1',
      isPriced: true,
      ttlMs: 60_000,
      rates: [],
      maxWaitMs: 0,
      mayQueue: true,
    },
  });
  expect(reserved.admission.kind).toBe('reserved');
  const shown = (await run('budget', 'show', '--tenant', 'acme')).stdout.split('\n');
  expect(shown[1]).toMatch(/^tenant acme {2}day {2}\$8\.50 {2}\$10\.00 {2}85 % {2}20\d\d-/);
  const raised = await run('budget', 'raise', '--tenant', 'acme', '--per', 'day', '--usd', '5');
  expect(raised.stderr).toMatch(/^Raised the budget of tenant acme per day by \$5\.00 until its window ends\. /);
  const [row] = JSON.parse((await run('budget', 'show', '--tenant', 'acme', '--json')).stdout) as unknown[];
  expect(row).toMatchObject({
    budget: { tenant: '*', per: 'day', usd: 10, onLimit: 'ask' },
    ...{ tenant: 'acme', spent: amounts, raised: { usd: 5 } },
  });
  expect((await run('budget', 'remove', '--tenant', '*', '--per', 'day')).code).toBe(0);
  const { stdout } = await run('audit', 'query', '--type', 'budget_changed', '--json');
  expect(stdout).toContain('"budget":"the budget of tenant acme per day","change":"raised"');
  expect(stdout).toContain('"budget":"the budget of each tenant per day","change":"removed"');
});

it.each([
  [['set', '--tenant', 'acme', '--usd', '3'], 'State the window of the budget: --per minute, hour, day or month.'],
  [
    ['set', '--per', 'day'],
    'Invalid budget: the budget must have a limit: calls, tokens or usd. Example: --tenant acme --per day --usd 50.',
  ],
  [['set', '--per', 'day', '--usd', 'much'], 'Invalid --usd much: expected a number above 0.'],
  [
    ['raise', '--tenant', 'acme', '--per', 'day', '--usd', '1'],
    'There is no budget of tenant acme per day. List the budgets: longhand budget list.',
  ],
  [['raise', '--tenant', 'acme', '--per', 'day'], 'State what to add: --usd, --tokens or --calls.'],
])('%j is rejected with the fix', async (args, message) => {
  const { code, stderr } = await run('budget', ...args);
  expect([code, stderr]).toEqual([2, `longhand: ${message}\n`]);
});
