/** `chain show` and `chain explain` of a part of a chain. */

import { expect, it } from 'vitest';
import { explainChain } from '../../../src/cli/chain/explain.js';
import { type ShowFlags, showChain } from '../../../src/cli/chain/show.js';
import { printed } from '../../support/printed.js';
import { storedFile } from '../../support/stored-chain.js';

const file = storedFile('parallel-tools');
const show = (flags: ShowFlags) => printed((terminal) => showChain(terminal, file, flags));

async function listShownSteps(flags: ShowFlags): Promise<readonly number[]> {
  const { out } = await show({ ...flags, json: true });
  const { steps } = JSON.parse(out) as { readonly steps: readonly { readonly number: number }[] };
  return [...new Set(steps.map(({ number }) => number))];
}

it('show --from and --to select steps by their numbers', async () => {
  expect(await listShownSteps({ from: '2' })).toEqual([2, 3]);
  expect(await listShownSteps({ to: '2' })).toEqual([1, 2]);
  expect(await listShownSteps({ from: '2', to: '2' })).toEqual([2]);
  expect(await listShownSteps({ to: '2', last: '1' })).toEqual([2]);
});

it('show --to shows the chain as it was after that step, and reports it', async () => {
  const part = await show({ to: '1', json: true });
  expect(JSON.parse(part.out)).toMatchObject({ outcome: null, answer: null });
  expect(part.reported).toBe('The chain is shown as it was after step 1.\n');
  const whole = await show({ to: '3', json: true });
  expect(JSON.parse(whole.out)).toMatchObject({ outcome: 'success' });
  expect(whole.reported).toBe('');
});

it.each([
  [{ from: '3', to: '2' }, 'Invalid --from 3 --to 2: --from is after --to.'],
  [{ from: '0' }, 'Invalid --from 0: expected a whole number above 0.'],
  [{ step: '1', to: '2' }, '--step cannot be combined with --from and --to.'],
])('show rejects %j', async (flags, message) => {
  await expect(show(flags)).rejects.toThrow(message);
});

it('explain --step explains the chain as it was when the step was complete', async () => {
  const explain = (step?: string) =>
    printed((terminal) => explainChain(terminal, file, step === undefined ? {} : { step }));
  expect((await explain('1')).out).toContain("It waits for the model's reply, which will be step 2.");
  expect((await explain()).out).not.toContain('It waits for');
});
