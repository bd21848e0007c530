/** Scenarios of chains with a plan: every kind of change to a plan. */

import { completes, fails, finishes, revises, starts } from '../support/core-plans.js';
import { callMakePlan, createPlanner, toReply } from '../support/plan-scene.js';
import type { Scenario } from './scenarios.js';

const lookAt = (place: string) => ['look', { place }] as const;

export const planScenarios: readonly Scenario[] = [
  {
    name: 'plan',
    agent: createPlanner('surveyor', { reflectEvery: 2 }),
    replies: [
      toReply('I plan.', callMakePlan('find', 'count after find', 'report after count')),
      toReply('I look.', starts('find'), lookAt('cellar')),
      toReply('Found.', completes('find', 'One thing'), starts('count')),
      toReply('One thing is not enough: the plan does not hold.'),
      toReply(revises('The attic is missing', 'attic', 'count after attic')),
      toReply(lookAt('attic')),
      toReply('It is dark.', fails('attic', 'No light')),
      toReply(starts('attic'), lookAt('attic again')),
      toReply('Two.', completes('attic'), completes('count', '2'), finishes('There are two.')),
    ],
    result: { outcome: 'success', steps: 9 },
    statuses: new Array<string>(13).fill('ok'),
  },
];
