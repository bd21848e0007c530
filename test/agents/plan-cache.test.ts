/** The cache of plans: its keys and its size. */

import { describe, expect, it } from 'vitest';
import { computePlanKey } from '../../src/agents/plan-cache.js';
import { createPlanCache } from '../../src/index.js';
import { tool } from '../support/core-builders.js';
import { planAgent } from '../support/core-plans.js';

const agent = planAgent({ reuse: 'v1' });
const by = (task: string, tenant: string | null = null) => ({ task, tenant });

describe('the key', () => {
  it('does not depend on white space in the goal, the model or the limits', () => {
    const other = planAgent({ reuse: 'v1', parallel: 4 }, { limits: { steps: 3 }, model: { name: 'other' } });
    expect(computePlanKey(by(' Pay  what\nis due. '), other)).toBe(computePlanKey(by('Pay what is due.'), agent));
  });

  it.each([
    ['another goal', 'Pay nothing.', agent],
    ['another agent', 'Pay.', planAgent({ reuse: 'v1' }, { name: 'other' })],
    ['other instructions', 'Pay.', planAgent({ reuse: 'v1' }, { instructions: 'You are careful.' })],
    ['other tools', 'Pay.', planAgent({ reuse: 'v1' }, { tools: [tool('look')] })],
    [
      'tools with other arguments',
      'Pay.',
      planAgent({ reuse: 'v1' }, { tools: agent.tools.map((each) => ({ ...each, inputSchema: { type: 'string' } })) }),
    ],
    ['another version', 'Pay.', planAgent({ reuse: 'v2' })],
  ])('differs for %s', (_name, goal, other) => {
    expect(computePlanKey(by(goal), other)).not.toBe(computePlanKey(by('Pay.'), agent));
  });

  it('differs for each tenant: plans contain what a chain learned', () => {
    const keys = [by('Pay.'), by('Pay.', 'acme'), by('Pay.', 'umbrella')].map((goal) => computePlanKey(goal, agent));
    expect(new Set(keys).size).toBe(3);
  });
});

it('the cache in memory keeps the most recently used plans', async () => {
  const plans = createPlanCache(2);
  const task = (id: string) => [{ id, description: id, dependsOn: [], tools: [], confirm: [] }];
  await plans.put('one', task('a'));
  await plans.put('two', task('b'));
  expect(await plans.get('one')).toEqual(task('a'));
  await plans.put('three', task('c'));
  expect([await plans.get('one'), await plans.get('two'), await plans.get('three')]).toEqual([
    task('a'),
    undefined,
    task('c'),
  ]);
});
