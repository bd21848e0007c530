/** When a plan is kept and when it is used again, for a chain as it stands before the model is called. */

import { describe, expect, it } from 'vitest';
import { findReusedPlan, storeCompletedPlan } from '../../../src/activities/model/plan-reuse.js';
import { createPlanCache, type PlanCache } from '../../../src/agents/plan-cache.js';
import type { Reading } from '../../../src/core/model/reading.js';
import { plan as strategy } from '../../../src/core/strategies/plan.js';
import { rawReply, use } from '../../support/core-builders.js';
import { completes, fails, finishes, makes, planAgent, type Said, says, starts } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';

const agent = planAgent({ reuse: 'v1', reflection: false, fallbacks: [] });
const silent = () => {};

const read = (...calls: readonly Said[]): Reading =>
  strategy.parse(rawReply(calls.map(([name, input = {}], at) => use(`use_${at}`, name, input))), agent, () => null);

const found = (plans: PlanCache, play: Play = prepared(agent)) =>
  findReusedPlan({ plans, warn: silent }, play.chain, agent);

const keep = (plans: PlanCache, play: Play, reading: Reading, stopReason: 'end_turn' | 'pause_turn' = 'end_turn') =>
  storeCompletedPlan({ plans, warn: silent }, play.chain, agent, { stopReason, reading });

/** A chain whose plan has two tasks, of which the first is completed. */
function halfway(): Play {
  const play = prepared(agent);
  says(play, makes('a', 'b after a'));
  says(play, completes('a'), starts('b'));
  return play;
}

const ends = read(completes('b'), finishes('Done.'));

describe('a plan', () => {
  it('is kept by the reply that ends its chain, and used where one would be asked for', async () => {
    const plans = createPlanCache();
    expect(await found(plans)).toBeNull();
    await keep(plans, halfway(), ends);
    const reply = await found(plans);
    expect(reply).toMatchObject({
      usage: { input: 0, output: 0 },
      reusedPlan: [{ id: 'a' }, { id: 'b', dependsOn: ['a'] }],
    });
    const play = prepared(agent);
    if (reply !== null) play.replied(reply);
    expect(play.state.plan).toMatchObject({ source: 'reused', tasks: [{ status: 'pending' }, { status: 'pending' }] });
    expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
    expect(play.chain.guidance.at(-1)?.text).toBe(
      'This is the plan:\n- a: Do a.\n- b (after a): Do b.\nNext is a: Do a.',
    );
  });

  it.each<[string, Play, Reading, ('end_turn' | 'pause_turn')?]>([
    ['is not the end', halfway(), read(completes('b'))],
    ['leaves a task', halfway(), read(finishes('Half.', 'There is no time.'))],
    ['fails one', halfway(), read(fails('b'), finishes('Half.'))],
    ['is a pause', halfway(), ends, 'pause_turn'],
  ])('is not kept by a reply that %s', async (_what, play, reading, stopReason) => {
    const plans = createPlanCache();
    await keep(plans, play, reading, stopReason);
    expect(await found(plans)).toBeNull();
  });

  it('is neither kept nor used where a person has said something', async () => {
    const plans = createPlanCache();
    const spoken = halfway();
    const steer = { kind: 'steer', text: 'Be quick.' } as const;
    const said = {
      type: 'commandReceived',
      id: null,
      chainId: null,
      by: 'ada',
      roles: [],
      reason: null,
      command: steer,
    } as const;
    spoken.take(said);
    await keep(plans, spoken, ends);
    expect(await found(plans)).toBeNull();
    await keep(plans, halfway(), ends);
    const other = prepared(agent);
    other.take(said);
    expect(await found(plans, other)).toBeNull();
    expect(await found(plans)).not.toBeNull();
  });

  it('is not looked for once the chain has one, nor by agents that use none again', async () => {
    const plans = createPlanCache();
    await keep(plans, halfway(), ends);
    expect(await found(plans, halfway())).toBeNull();
    const once = planAgent({ reuse: null });
    expect(await findReusedPlan({ plans, warn: silent }, prepared(once).chain, once)).toBeNull();
  });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['what is no plan', 'do it'],
  ['a failure', new Error('no cache')],
])('a cache that gives %s has the model asked, and a failure is told', async (_what, gives) => {
  const told: string[] = [];
  const get = () => (gives instanceof Error ? Promise.reject(gives) : (gives as never));
  const plans: PlanCache = { get, put: silent };
  expect(
    await findReusedPlan({ plans, warn: (message) => told.push(message) }, prepared(agent).chain, agent),
  ).toBeNull();
  expect(told).toEqual(gives instanceof Error ? [expect.stringContaining('no cache')] : []);
});
