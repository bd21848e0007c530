/** Temporal's Web UI on a chain that reached a limit: each fact once, and no limit that the chain does not have. */

import { expect, it } from 'vitest';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { look, replyWithLook } from '../../support/tools.js';

const agent = defineAgent({
  name: 'looker',
  title: 'Look-out',
  model: 'a-model-without-a-price',
  strategy: 'tools',
  tools: [look],
});

it('the Web UI shows the reached limit and the summary in the heading only', async () => {
  const replies = [replyWithLook(1), { text: 'I saw a thing.\nAnd no more.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Look around', { limits: { steps: 1 } });
    expect((await chain.result()).partial).toBe('I saw a thing.\nAnd no more.');
    const handle = longhand.client.workflow.getHandle(chain.chainId);

    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails.split('Max steps (1) reached.')).toHaveLength(2);
    expect(currentDetails.split('I saw a thing.')).toHaveLength(2);
    expect(currentDetails).toContain(
      'Max steps (1) reached.\n\n**Partial answer**\n\n> I saw a thing.\n> And no more.\n\n**1** I look at 1.',
    );
    expect(currentDetails).not.toContain('⚠');

    const { staticDetails } = await handle.describe();
    expect(await staticDetails?.()).toContain('**Agent** Look-out (looker)');
    expect(await staticDetails?.()).toContain('**Limits** 1 step, 1,000,000 tokens, 10 min');
  });
});

it('the Web UI shows the limits in force of a chain that was started by name, and its answer once, with its step', async () => {
  const replies = [replyWithLook(1), { text: 'I saw a thing.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start('looker', 'Look around', { limits: { steps: 4 }, model: 'claude-sonnet-5-5' });
    await chain.result();
    const handle = longhand.client.workflow.getHandle(chain.chainId);
    const { staticDetails } = await handle.describe();
    expect(await staticDetails?.()).toContain("**Limits** 4 steps; else the agent's own, in the current details");
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('Look-out (looker) · claude-sonnet-5-5 · at most 4 steps, 1,000,000 tokens, ');
    expect(currentDetails.split('I saw a thing.')).toHaveLength(2);
    expect(currentDetails).toMatch(/\*\*2\*\* The answer above\. `claude-sonnet-5-5 from anthropic` · \$0\.\d+/);
  });
});
