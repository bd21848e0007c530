/** Ask at a limit on a real server: in the inbox, answered by a raise, or expired. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { CommandRejectedError } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

const definition = { name: 'looker', model: 'claude-sonnet-5-5', tools: [look] } as const;
const usage = { input: 6_000, output: 2_000 };
const replies = [{ ...replyWithLook(0), usage }, { ...replyWithLook(1), usage }, { text: 'I saw a few things.' }];

it('a chain at its cost limit is in the inbox with its question, and continues after a raise', async () => {
  const agent = defineAgent({ ...definition, onLimit: { expires: '2 days', roles: ['finance'] } });
  const tenant = `t-${randomUUID()}`;
  await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(agent, 'Look around', { tenant, limits: { costUsd: 0.12 } });
    await expect.poll(async () => (await longhand.listInbox({ tenant })).length).toBe(1);
    const [waiting] = await longhand.listInbox({ tenant, roles: ['finance'] });
    expect(await longhand.listInbox({ tenant, roles: ['sales'] })).toEqual([]);
    expect(waiting?.paused).toMatchObject({
      by: null,
      reason: expect.stringMatching(/^Cost budget \(\$0\.12\) reached: .* Continue with \$0\.\d+ more, or stop\.$/),
      question: { code: 'cost_budget', text: expect.stringMatching(/^Continue with/), expiresAt: expect.any(Number) },
    });
    const shown = await longhandHere(['inbox', '--list', '--tenant', tenant], {
      TEMPORAL_ADDRESS: getTemporalAddress(),
    });
    expect(shown.stdout).toMatch(
      /\? {5}Cost budget[\s\S]*more, or stop\.\n +until .* then it ends · .*\n +longhand limit .*\n +longhand cancel /,
    );
    const listed = await longhandHere(['chain', 'list', '--tenant', tenant], {
      TEMPORAL_ADDRESS: getTemporalAddress(),
    });
    expect(listed.stdout).toContain('● waiting for decision');
    const { raise = null, expiresAt } = waiting?.paused?.question ?? {};
    expect((expiresAt ?? 0) - (waiting?.paused?.at ?? 0)).toBe(2 * 24 * 3_600_000);
    const calls = models.requests.length;
    const rejected = await chain.resume({ by: 'ann', roles: ['finance'] }).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(CommandRejectedError);
    expect(rejected).toMatchObject({ rejection: 'limit_reached' });
    expect((rejected as Error).message).toContain(`longhand limit ${chain.chainId} cost=${raise?.costUsd}`);
    expect(models.requests).toHaveLength(calls);
    await chain.raiseLimits({ costUsd: 1 }, { by: 'ann', roles: ['finance'] });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'I saw a few things.', steps: 3 });
    await expect.poll(async () => await longhand.listInbox({ tenant })).toEqual([]);
  });
});

it('a chain whose question expires ends at its limit, with a summary', async () => {
  const agent = defineAgent({ ...definition, onLimit: { expires: 1_000 } });
  await withWorker({ agents: [agent], replies: [replyWithLook(0), { text: 'One thing.' }] }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Look around', { limits: { steps: 1 } });
    expect(await chain.result()).toMatchObject({
      ...{ outcome: 'max_iterations', reasonCode: 'max_steps', reason: 'Max steps (1) reached.' },
      ...{ partial: 'One thing.', steps: 1 },
    });
    const { steps } = await chain.view(createViewer('developer'));
    const notices = steps.flatMap((step) => (step.level === 'full' && step.kind === 'notice' ? [step.notice] : []));
    expect(notices).toEqual(['limit_question', 'limit_reached', 'closing_call']);
  });
});
