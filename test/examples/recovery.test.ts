/** The recovery example: the observation of a call to a missing tool lists the existing tools (L4). */

import { expect, test } from 'vitest';
import { improviser } from '../../examples/recovery.js';
import { withWorker } from '../support/chain-test.js';
import { acts, answers } from '../support/react-reply.js';
import { reacts } from '../support/reacting-model.js';

test('the example continues with the tools that exist', async () => {
  const answer = 'There is no nonexistent_api. I can give you exchange_rates or office_hours.';
  const replies = reacts(
    {
      needs: ['Action Input:'],
      until: 'There is no tool named nonexistent_api',
      reply: acts('The task names nonexistent_api; I will call it.', 'nonexistent_api', {}),
    },
    {
      needs: ['You have: list_datasets, read_dataset'],
      until: '["exchange_rates","office_hours"]',
      reply: acts('It does not exist. What is there instead?', 'list_datasets', {}),
    },
    { needs: ['If the requested data does not exist, answer that'], reply: answers('I can offer these two.', answer) },
  );
  await withWorker({ agents: [improviser], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(improviser, 'Get data from nonexistent_api');

    expect(await chain.result()).toMatchObject({ outcome: 'success', answer, steps: 3 });
    const { steps, notices } = await chain.read();
    expect(steps[0]).toMatchObject({
      problem: null,
      calls: [
        {
          tool: 'nonexistent_api',
          status: 'error',
          observation: 'There is no tool named nonexistent_api. You have: list_datasets, read_dataset.',
        },
      ],
    });
    expect(steps[1]?.calls).toMatchObject([{ status: 'ok', observation: ['exchange_rates', 'office_hours'] }]);
    expect(notices).toEqual([]);
    expect(JSON.stringify(models.requests[1]?.body.messages.at(-1))).toContain('list_datasets, read_dataset');
  });
});

test('the example has the same result when every workflow task replays the chain', async () => {
  const replies = [acts('I will call nonexistent_api.', 'nonexistent_api', {}), answers('It is not there.', 'No.')];
  await withWorker({ agents: [improviser], replies, temporal: { maxCachedWorkflows: 0 } }, async ({ longhand }) => {
    const chain = await longhand.start(improviser, 'Get data from nonexistent_api');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'No.', steps: 2 });
  });
});
