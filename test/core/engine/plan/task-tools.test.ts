/** The tools that a planned task names. */

import { expect, it } from 'vitest';
import { renderRequest } from '../../../../src/core/strategies/strategies.js';
import { planAgent, replyWithCalls } from '../../../support/core-plans.js';
import { prepared } from '../../../support/core-play.js';

it('the model is asked for the tools of each task, and the plan keeps them', () => {
  const play = prepared(planAgent());
  const { agent } = play.state;
  if (agent === null) throw new Error('The agent is not known.');
  const makePlan = renderRequest(play.chain, agent, 'step').tools.find(({ name }) => name === 'make_plan');
  expect(makePlan?.inputSchema).toMatchObject({
    properties: {
      tasks: { items: { properties: { tools: { type: 'array', description: expect.stringContaining('tools') } } } },
    },
  });
  const tasks = [
    { id: 'find', description: 'Find it.', tools: ['look', 'read'] },
    { id: 'pay', description: 'Pay it.', depends_on: ['find'] },
  ];
  replyWithCalls(play, ['make_plan', { tasks }]);
  expect(play.state.plan?.tasks).toMatchObject([
    { id: 'find', tools: ['look', 'read'] },
    { id: 'pay', tools: [] },
  ]);
});
