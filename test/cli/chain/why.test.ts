/** The reasons of steps, as commands print them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { explainChain } from '../../../src/cli/chain/explain.js';
import { showChain } from '../../../src/cli/chain/show.js';
import { watchChain } from '../../../src/cli/chain/watch.js';
import { printed } from '../../support/printed.js';
import { storedFile } from '../../support/stored-chain.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-why-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rules = join(folder, 'rules.json');
writeFileSync(rules, JSON.stringify({ roles: { end_user: { why: 'thought' } } }));
const plan = storedFile('plan');
const calls = storedFile('parallel-tools');
const user = { as: 'end_user' } as const;
const quoting = { ...user, visibility: rules };

it('chain show and chain watch print the reason below a call, once in a step, where the thought is not shown', async () => {
  const show = (flags: object) => printed((terminal) => showChain(terminal, calls, flags), 80);
  expect((await show(user)).out.match(/Why: .*/g)).toEqual([1, 2].map(() => 'Why: To check an external source'));
  expect((await show({ as: 'developer' })).out).not.toContain('Why');
  const { out } = await show(quoting);
  expect(out).toContain('│  ├─ • Called echo\n│  │  │    Why: I call.\n│  │  └─ → echo answered');
  expect(out.match(/Why: I call\./g)).toHaveLength(2);
  const watched = await printed((terminal) => watchChain(terminal, calls, quoting), 80);
  expect(watched.out).toContain('Why: I call.');
});

it('chain show --step names the source, and JSON has it as a member', async () => {
  const { out } = await printed((terminal) => showChain(terminal, plan, { ...user, step: '2' }));
  expect(out).toContain('Why (plan task): Do find.');
  const { out: json } = await printed((terminal) => showChain(terminal, plan, { ...user, json: true }));
  const { steps } = JSON.parse(json) as { steps: readonly { readonly id: string; readonly why?: unknown }[] };
  expect(steps.find(({ id }) => id === '2.2')?.why).toEqual({ by: 'task', text: 'Do find.' });
});

it('chain explain prints the reasons of the newest step', async () => {
  const explain = (flags: object) => printed((terminal) => explainChain(terminal, calls, flags));
  expect((await explain({ ...quoting, step: '1' })).out).toContain('- Why 1.1, 1.2, 1.3 (thought): I call.');
  expect((await explain({ ...user, step: '1' })).out).toContain('- Why 1.1, 1.2, 1.3: To check an external source');
});
