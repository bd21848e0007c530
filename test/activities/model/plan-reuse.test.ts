/** When a plan is stored and when it is reused, for a chain before its model call. */

import { describe, expect, it } from 'vitest';
import { findReusedPlan, storeCompletedPlan } from '../../../src/activities/model/plan-reuse.js';
import { createPlanCache } from '../../../src/agents/plan-cache.js';
import type { Reading } from '../../../src/core/model/reading.js';
import { plan as strategy } from '../../../src/core/strategies/plan.js';
import type { PlanCache } from '../../../src/index.js';
import { rawReply, use } from '../../support/core-builders.js';
import {
  completes,
  fails,
  finishes,
  makes,
  type PlanCall,
  planAgent,
  replyWithCalls,
  starts,
} from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';

const agent = planAgent({ reuse: 'v1', reflection: false, fallbacks: [] });
const silent = () => {};

const read = (...calls: readonly PlanCall[]): Reading =>
  strategy.parse(rawReply(calls.map(([name, input = {}], at) => use(`use_${at}`, name, input))), agent, () => null);

const findPlan = (plans: PlanCache, play: Play = prepared(agent)) =>
  findReusedPlan({ plans, warn: silent }, play.chain, agent);

const keep = (plans: PlanCache, play: Play, reading: Reading, stopReason: 'end_turn' | 'pause_turn' = 'end_turn') =>
  storeCompletedPlan({ plans, warn: silent }, play.chain, agent, { stopReason, reading });

/** A chain whose plan has two tasks, of which the first is completed. */
function playHalf(): Play {
  const play = prepared(agent);
  replyWithCalls(play, makes('a', 'b after a'));
  replyWithCalls(play, completes('a'), starts('b'));
  return play;
}

const ends = read(completes('b'), finishes('Done.'));

describe('a plan', () => {
  it('is stored by the reply that ends its chain, and reused instead of a model call', async () => {
    const plans = createPlanCache();
    expect(await findPlan(plans)).toBeNull();
    await keep(plans, playHalf(), ends);
    const reply = await findPlan(plans);
    expect(reply).toMatchObject({
      usage: { input: 0, output: 0 },
      reusedPlan: [{ id: 'a' }, { id: 'b', dependsOn: ['a'] }],
    });
    const play = prepared(agent);
    if (reply !== null) play.replied(reply);
    expect(play.state.plan).toMatchObject({ source: 'reused', tasks: [{ status: 'pending' }, { status: 'pending' }] });
    expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
    expect(play.chain.guidance.at(-1)?.text).toBe(
      'This is the plan:\n- a: Do a.\n- b (after a): Do b.\nNext task: a: Do a.',
    );
  });

  it.each<[string, Play, Reading, ('end_turn' | 'pause_turn')?]>([
    ['does not end the chain', playHalf(), read(completes('b'))],
    ['leaves a task open', playHalf(), read(finishes('Half.', 'There is no time.'))],
    ['fails a task', playHalf(), read(fails('b'), finishes('Half.'))],
    ['is a pause', playHalf(), ends, 'pause_turn'],
  ])('is not stored by a reply that %s', async (_name, play, reading, stopReason) => {
    const plans = createPlanCache();
    await keep(plans, play, reading, stopReason);
    expect(await findPlan(plans)).toBeNull();
  });

  it('is neither stored nor reused after a message of a person', async () => {
    const plans = createPlanCache();
    const steered = playHalf();
    const steer = { kind: 'steer', text: 'Be quick.' } as const;
    const command = {
      type: 'commandReceived',
      id: null,
      chainId: null,
      by: 'ada',
      roles: [],
      reason: null,
      command: steer,
    } as const;
    steered.take(command);
    await keep(plans, steered, ends);
    expect(await findPlan(plans)).toBeNull();
    await keep(plans, playHalf(), ends);
    const other = prepared(agent);
    other.take(command);
    expect(await findPlan(plans, other)).toBeNull();
    expect(await findPlan(plans)).not.toBeNull();
  });

  it('is not looked up for a chain that has a plan, nor for an agent without reuse', async () => {
    const plans = createPlanCache();
    await keep(plans, playHalf(), ends);
    expect(await findPlan(plans, playHalf())).toBeNull();
    const once = planAgent({ reuse: null });
    expect(await findReusedPlan({ plans, warn: silent }, prepared(once).chain, once)).toBeNull();
  });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['no plan', 'do it'],
  ['an error', new Error('no cache')],
])('a cache that returns %s leads to a model call, and an error to a warning', async (_name, gives) => {
  const warnings: string[] = [];
  const get = () => (gives instanceof Error ? Promise.reject(gives) : (gives as never));
  const plans: PlanCache = { get, put: silent };
  expect(
    await findReusedPlan({ plans, warn: (message) => warnings.push(message) }, prepared(agent).chain, agent),
  ).toBeNull();
  expect(warnings).toEqual(gives instanceof Error ? [expect.stringContaining('no cache')] : []);
});
