/** Chains with a plan, for scenarios.ts: every way in which a plan changes. */

import { completes, fails, finishes, revises, starts } from '../support/core-plans.js';
import { makesPlan, planner, reply } from '../support/plan-scene.js';
import type { Scenario } from './scenarios.js';

const lookAt = (place: string) => ['look', { place }] as const;

export const planScenarios: readonly Scenario[] = [
  {
    name: 'plan',
    agent: planner('surveyor', { reflectEvery: 2 }),
    replies: [
      reply('I plan.', makesPlan('find', 'count after find', 'report after count')),
      reply('I look.', starts('find'), lookAt('cellar')),
      reply('Found.', completes('find', 'One thing'), starts('count')),
      reply('One thing is not enough: the plan does not hold.'),
      reply(revises('The attic is missing', 'attic', 'count after attic')),
      reply(lookAt('attic')),
      reply('It is dark.', fails('attic', 'No light')),
      reply(starts('attic'), lookAt('attic again')),
      reply('Two.', completes('attic'), completes('count', '2'), finishes('There are two.')),
    ],
    comesTo: { outcome: 'success', steps: 9 },
    calls: new Array<string>(12).fill('ok'),
  },
];
