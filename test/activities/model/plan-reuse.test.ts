/** When a plan is stored and when it is reused, for a chain before its model call. */

import { describe, expect, it } from 'vitest';
import { findReusedPlan, storeCompletedPlan } from '../../../src/activities/model/plan-reuse.js';
import { createPlanCache } from '../../../src/agents/plan-cache.js';
import type { AgentSnapshot, PlanOptions } from '../../../src/core/model/agent.js';
import type { ModelReply } from '../../../src/core/model/fact.js';
import type { Reading } from '../../../src/core/model/reading.js';
import { plan as strategy } from '../../../src/core/strategies/plan.js';
import type { PlanCache } from '../../../src/index.js';
import { rawReply, replyOf, someInput, use } from '../../support/core-builders.js';
import {
  completes,
  fails,
  finishes,
  lastGuide,
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

const keep = (plans: PlanCache, play: Play, reading: Reading, more: Partial<ModelReply> = {}) =>
  storeCompletedPlan({ plans, warn: silent }, play.chain, agent, { ...replyOf(reading), ...more });

/** A chain with another goal, before its first reply. */
const withGoal = (task: string, options: AgentSnapshot = agent) => prepared(options, { ...someInput, task });

/** A chain whose plan has two tasks, of which the first is completed. */
function playHalf(): Play {
  const play = prepared(agent);
  replyWithCalls(play, makes('a', 'b after a'));
  replyWithCalls(play, completes('a'), starts('b'));
  return play;
}

const ends = read(completes('b'), finishes('Done.'));
const gaveUp: PlanCall = ['finish', { result: '', success: false, reason: 'It is shut.' }];

describe('a plan', () => {
  it('is stored by the reply that ends its chain, and reused instead of a model call', async () => {
    const plans = createPlanCache();
    expect(await findPlan(plans)).toBeNull();
    await keep(plans, playHalf(), ends);
    const reply = await findPlan(plans);
    expect(reply).toMatchObject({
      usage: { input: 0, output: 0 },
      reusedPlan: { tasks: [{ id: 'a' }, { id: 'b', dependsOn: ['a'] }], similarity: 1, chainId: 'chain-1' },
    });
    const play = prepared(agent);
    if (reply !== null) play.replied(reply);
    expect(play.state.plan).toMatchObject({ source: 'reused', tasks: [{ status: 'pending' }, { status: 'pending' }] });
    expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
    expect(play.chain.guidance.at(-1)?.text).toBe(
      'This is the plan:\n- a: Do a.\n- b (after a): Do b.\nNext task: a: Do a.',
    );
  });

  it.each<[string, Play, Reading, Partial<ModelReply>?]>([
    ['does not end the chain', playHalf(), read(completes('b'))],
    ['leaves a task open', playHalf(), read(finishes('Half.', 'There is no time.'))],
    ['fails a task', playHalf(), read(fails('b'), finishes('Half.'))],
    ['is a pause', playHalf(), ends, { stopReason: 'pause_turn' }],
    [
      'the check of the agent rejects',
      playHalf(),
      ends,
      { check: { outcome: 'failure', reason: 'No.', answer: null } },
    ],
    ['reports that the goal is not reached', playHalf(), read(completes('b'), gaveUp)],
  ])('is not stored by a reply that %s', async (_name, play, reading, more) => {
    const plans = createPlanCache();
    await keep(plans, play, reading, more);
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

  it('is reused for a similar goal, which readers and the model see', async () => {
    const plans = createPlanCache();
    await keep(plans, playHalf(), ends);
    const play = withGoal('Please find out what is due now, and pay it');
    const reply = await findPlan(plans, play);
    expect(reply?.reusedPlan).toMatchObject({ goal: 'Find out what is due, and pay it.', similarity: 0.88 });
    if (reply !== null) play.replied(reply);
    expect(play.chain.notices).toMatchObject([
      {
        code: 'plan_changed',
        step: 1,
        text: 'A plan of chain chain-1 worked before, for the goal "Find out what is due, and pay it." (similarity 0.88). It is reused: 2 tasks, a, b.',
      },
    ]);
    expect(lastGuide(play)).toMatch(
      /^The plan worked for a similar goal: "Find out what is due, and pay it\."\. Where your goal differs, call `revise_plan` first\.\nThis is the plan:\n/,
    );
    expect(await findPlan(plans, withGoal('Find out what is due, and burn it.'))).toBeNull();
  });

  it('is reused only for the same words where the agent requires it, and the most similar one first', async () => {
    const plans = createPlanCache();
    await keep(plans, playHalf(), ends);
    const strict = planAgent({ reuse: 'v1', reuseSimilarity: 1 });
    const find = (task: string) =>
      findReusedPlan({ plans, warn: silent }, withGoal(task, strict).chain, strict).then((reply) => reply?.reusedPlan);
    expect(await find('Find out what is due now, and pay it.')).toBeUndefined();
    expect(await find('Please find out what is due and pay it')).toMatchObject({ similarity: 1 });
    const other = withGoal('Find out what is due now, and pay it.');
    replyWithCalls(other, makes('a', 'b after a'));
    replyWithCalls(other, completes('a'), starts('b'));
    await keep(plans, other, ends);
    const again = await findPlan(plans, withGoal('Find out what is due now and pay it'));
    expect(again?.reusedPlan).toMatchObject({ goal: 'Find out what is due now, and pay it.', similarity: 1 });
  });

  it('is neither stored nor reused for a task with files', async () => {
    const plans = createPlanCache();
    const file = {
      name: 'a.pdf',
      digest: `sha256:${'0'.repeat(64)}`,
      bytes: 1,
      mediaType: 'application/pdf',
      pages: 1,
    };
    const input = { ...someInput, files: [file] };
    const reader = planAgent(agent.strategy as PlanOptions, {
      model: { files: [{ kind: 'pdf', maxBytes: 9, maxPages: 1 }] },
    });
    const half = prepared(reader, input);
    replyWithCalls(half, makes('a', 'b after a'));
    replyWithCalls(half, completes('a'), starts('b'));
    await keep(plans, half, ends);
    expect(await findPlan(plans)).toBeNull();
    await keep(plans, playHalf(), ends);
    expect(await findPlan(plans, prepared(reader, input))).toBeNull();
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
  ['no plan', []],
  ['a plan without tasks', [{ tasks: 'do it', goal: 'Find out what is due, and pay it.', chainId: 'x' }]],
  ['an error', new Error('no cache')],
])('a cache that returns %s leads to a model call, and an error to a warning', async (_name, gives) => {
  const warnings: string[] = [];
  const list = () => (gives instanceof Error ? Promise.reject(gives) : (gives as never));
  const plans: PlanCache = { list, put: silent };
  expect(
    await findReusedPlan({ plans, warn: (message) => warnings.push(message) }, prepared(agent).chain, agent),
  ).toBeNull();
  expect(warnings).toEqual(gives instanceof Error ? [expect.stringContaining('no cache')] : []);
});
