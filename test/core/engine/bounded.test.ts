/** L2: the state stays bounded, for chains and texts of any length. */

import { describe, expect, it } from 'vitest';
import { agentOf, asks, look, modelFailure, pay, replyOf, toolFailure } from '../../support/core-builders.js';
import { completes, planAgent, replyWithCalls } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';

const sizeOf = (play: Play) => JSON.stringify({ ...play.state, agent: null }).length;

function takeSteps(play: Play, from: number, to: number, bytes: number): void {
  for (let step = from; step <= to; step++) {
    const reply = asks(...Array.from({ length: 4 }, (_, at) => look({ step, at })));
    play.replied({ ...reply, reading: { ...reply.reading, thought: `Step ${step}. ${'t'.repeat(bytes)}` } });
    for (const call of play.step.calls) play.returned(call.id, `${call.id} ${'o'.repeat(bytes)}`);
  }
}

describe('the state', () => {
  it('does not grow over 400 steps', () => {
    const play = prepared(agentOf({ limits: { steps: 1_000, tokens: 1e9, costUsd: 1e6 } }));
    takeSteps(play, 1, 100, 2_000);
    const at100 = sizeOf(play);
    takeSteps(play, 101, 400, 2_000);
    expect(play.state.stop).toBeNull();
    expect(play.state.steps).toBe(400);
    expect(Math.abs(sizeOf(play) - at100)).toBeLessThan(500);
    expect(sizeOf(play)).toBeLessThan(40_000);
  });

  it('does not depend on the size of results', () => {
    const play = prepared(agentOf({ limits: { steps: 100 } }));
    takeSteps(play, 1, 3, 10);
    const small = sizeOf(play);
    takeSteps(play, 4, 6, 8_000);
    expect(sizeOf(play) - small).toBeLessThan(6_000);
  });

  it('contains a bounded part of a plan, for any texts of the model', () => {
    const long = 'ü'.repeat(20_000);
    const play = prepared(planAgent({ parallel: 50 }, { limits: { steps: 1_000, tokens: 1e9, costUsd: 1e6 } }));
    const tasks = Array.from({ length: 200 }, (_, at) => ({ id: `t${at}`, description: long, tools: [long, `${at}`] }));
    replyWithCalls(play, ['make_plan', { tasks }]);
    const ids = play.state.plan?.tasks.map(({ id }) => id) ?? [];
    replyWithCalls(play, ...ids.map((id) => completes(id, long)));
    expect(sizeOf(play)).toBeLessThan(80_000);
    for (let step = 1; step <= 20; step++)
      replyWithCalls(play, ['revise_plan', { outcome: 'custom', reason: long, tasks: [`${step} ${long}`] }]);
    expect(sizeOf(play)).toBeLessThan(90_000);
  });

  it.each([
    ['a provider', (play: Play, message: string) => play.failed(modelFailure('bad_request', { message }))],
    ['a correction', (play: Play, problem: string) => [1, 2, 3].map(() => play.replied(replyOf({ problem })))],
    [
      'a check',
      (play: Play, reason: string) =>
        play.replied({ ...replyOf({}), check: { outcome: 'custom', reason, answer: null } }),
    ],
  ])('does not contain the full text of %s', (_name, ends) => {
    const play = prepared();
    ends(play, 'm'.repeat(100_000));
    expect(play.result.reason.length).toBeLessThan(4_000);
  });

  it('does not contain the full texts of tools, but names each call', () => {
    const play = prepared();
    play.replied(asks(...Array.from({ length: 16 }, (_, at) => pay({ at, what: 'x'.repeat(5_000) }))));
    play.cancelledBy('ana');
    for (const id of play.ran) play.broke(id, toolFailure('Error', 'm'.repeat(4_000)));
    play.cancelledByTemporal();
    expect(play.state.stop?.additional.at(-1)).toMatchObject({ code: 'unknown_outcome', call: '1.16' });
    expect(play.result.reason.length).toBeLessThan(16_000);
  });
});
