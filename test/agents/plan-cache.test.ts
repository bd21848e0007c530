/** The cache of plans: its scopes and its size. */

import { describe, expect, it } from 'vitest';
import { computePlanScope } from '../../src/agents/plan-cache.js';
import { createPlanCache } from '../../src/index.js';
import { tool } from '../support/core-builders.js';
import { planAgent } from '../support/core-plans.js';

const agent = planAgent({ reuse: 'v1' });

describe('the scope', () => {
  it('does not depend on the model, the limits or other options', () => {
    const other = planAgent({ reuse: 'v1', parallel: 4 }, { limits: { steps: 3 }, model: { name: 'other' } });
    expect(computePlanScope(null, other)).toEqual(computePlanScope(null, agent));
  });

  it.each([
    ['another agent', planAgent({ reuse: 'v1' }, { name: 'other' })],
    ['other instructions', planAgent({ reuse: 'v1' }, { instructions: 'You are careful.' })],
    ['other tools', planAgent({ reuse: 'v1' }, { tools: [tool('look')] })],
    [
      'tools with other arguments',
      planAgent({ reuse: 'v1' }, { tools: agent.tools.map((each) => ({ ...each, inputSchema: { type: 'string' } })) }),
    ],
    ['another version', planAgent({ reuse: 'v2' })],
  ])('differs for %s', (_name, other) => {
    expect(computePlanScope(null, other).key).not.toBe(computePlanScope(null, agent).key);
  });

  it('differs for each tenant: plans contain what a chain learned', () => {
    const keys = [null, 'acme', 'umbrella'].map((tenant) => computePlanScope(tenant, agent).key);
    expect(new Set(keys).size).toBe(3);
  });
});

describe('the cache in memory', () => {
  const scope = { tenant: null, key: 'k' };
  const plan = (goal: string, chainId = goal) => ({ tasks: [], goal, chainId, user: null, startedAt: 0 });
  const goals = async (plans: ReturnType<typeof createPlanCache>) =>
    (await plans.list(scope)).map(({ goal, chainId }) => `${goal} by ${chainId}`);

  it('keeps the newest plans, one for each goal', async () => {
    const plans = createPlanCache(2);
    for (const [goal, chain] of [
      ['one', 'a'],
      ['two', 'b'],
      ['one', 'c'],
      ['three', 'd'],
    ] as const)
      await plans.put(scope, plan(goal, chain));
    expect(await goals(plans)).toEqual(['three by d', 'one by c']);
    expect(await plans.list({ ...scope, key: 'other' })).toEqual([]);
  });

  it('keeps 100 plans unless the number is given', async () => {
    const plans = createPlanCache();
    for (let at = 1; at <= 101; at += 1) await plans.put(scope, plan(`goal ${at}`));
    expect(await goals(plans)).toHaveLength(100);
    expect(await goals(plans)).not.toContain('goal 1 by goal 1');
  });
});
