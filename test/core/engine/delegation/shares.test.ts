/** L6: a sub-chain gets an equal part of the remaining budget, but at least enough for a step while others may return budget. */

import { describe, expect, it } from 'vitest';
import { capLimits, computeCommittedUse, listOpenShares } from '../../../../src/core/engine/state/budget-tree.js';
import { computeWorkedMs } from '../../../../src/core/engine/state/flight.js';
import { type Delegation, renderTask } from '../../../../src/core/model/delegation.js';
import {
  ask,
  askAll,
  begunBy,
  charged,
  childrenIn,
  delegated,
  delegatingAgent,
  lineage,
  reported,
} from '../../../support/core-delegation.js';

const createMap = (most = 100, atOnce = 100): Partial<Delegation> => ({ spread: { kind: 'map', atOnce, most } });
const tasks = (n: number) => Array.from({ length: n }, (_, at) => `piece ${at}`);
const sharesOf = (play: ReturnType<typeof delegated>) =>
  begunBy(play.actions).flatMap(({ input }) => (input.lineage === undefined ? [] : [input.lineage.share]));

describe('shares', () => {
  it('are equal parts of the remaining budget, minus what the parent keeps', () => {
    const play = delegated(delegatingAgent(createMap()), [askAll(...tasks(4))]);
    const shares = sharesOf(play);
    expect(shares).toHaveLength(4);
    const { agent } = play.state;
    const all = shares.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(new Set(shares.map(({ tokens }) => Math.round(tokens / 100))).size).toBe(1);
    expect(all).toBeLessThan((agent?.limits.tokens ?? 0) - play.state.charged.tokens);
    expect(computeCommittedUse(play.state).tokens).toBe(all + play.state.charged.tokens);
    expect(shares.map(({ chains }) => chains)).toEqual([49, 49, 49, 49]);
  });

  it('never exceed the limits of the delegation', () => {
    const limits = { tokens: 3_000, costUsd: 0.02, timeMs: 5_000 };
    const [share] = sharesOf(delegated(delegatingAgent({ limits })));
    expect(share).toMatchObject({ tokens: 3_000, usd: 0.02, timeMs: 5_000 });
  });

  it('are enough for a step: with a small budget, sub-chains start one after the other', () => {
    const play = delegated(delegatingAgent(createMap(), { limits: { tokens: 40_000 } }), [askAll(...tasks(20))]);
    const first = begunBy(play.actions);
    expect(first.length).toBeGreaterThan(1);
    expect(first.length).toBeLessThan(20);
    for (const { tokens } of sharesOf(play)) expect(tokens).toBeGreaterThanOrEqual(8_192);
    // Returned budget goes to the next sub-chain.
    reported(play, first[0]?.chainId ?? '', { charged: charged({ tokens: 500 }) });
    expect(begunBy(play.actions)).toHaveLength(1);
  });

  it('are rejected as too small if no other sub-chain can return budget', () => {
    const play = delegated(delegatingAgent({}, { limits: { costUsd: 0.034 } }), [ask()]);
    expect(begunBy(play.actions)).toEqual([]);
    expect(play.step.calls[0]?.observation).toContain('the remaining budget is too small');
  });

  it('leave the parent enough time to summarize', () => {
    const [long] = sharesOf(delegated(delegatingAgent({}, { limits: { timeMs: 600_000 } })));
    expect(long?.timeMs).toBe(600_000 - 70_000);
    const [short] = sharesOf(delegated(delegatingAgent({}, { limits: { timeMs: 10_000 } })));
    expect(short?.timeMs).toBe(5_000);
  });

  it('cap every limit of a sub-chain but keep a lower one', () => {
    const limits = {
      steps: 3,
      tokens: 9e9,
      costUsd: 9,
      timeMs: 1_000,
      stallThreshold: 3,
      stallSimilarity: 0.8,
      chains: 100,
    };
    expect(capLimits(limits, lineage())).toEqual({ ...limits, tokens: 100_000, costUsd: 1, chains: 5 });
    expect(capLimits({ ...limits, costUsd: null }, lineage()).costUsd).toBe(1);
    const free = lineage({ share: { tokens: 1, usd: null, timeMs: 1, chains: 0 } });
    expect(capLimits(limits, free).costUsd).toBe(9);
  });
});

describe('the returned budget', () => {
  it('is the unused part, and nothing if the usage is unknown', () => {
    const play = delegated(delegatingAgent(createMap()), [askAll('one', 'two')]);
    const [one, two] = begunBy(play.actions);
    const held = listOpenShares(play.state);
    reported(play, one?.chainId ?? '', { charged: charged({ tokens: 700, usd: 0.5, chains: 3 }) });
    expect(play.state.subChainTotals).toMatchObject({ tokens: 700, usd: 0.5, chains: 3 });
    const silent = { type: 'silent', status: 'terminated', message: 'it was terminated.' } as const;
    play.take({ type: 'childEnded', chainId: two?.chainId ?? '', end: silent });
    expect(listOpenShares(play.state)).toHaveLength(1);
    play.take({ type: 'childReportRead', chainId: two?.chainId ?? '', report: null });
    expect(listOpenShares(play.state)).toEqual([]);
    expect(play.state.subChainTotals.tokens).toBe(700 + (held[1]?.tokens ?? 0));
    expect(play.state.subChainTotals.chains).toBe(3 + 1 + (held[1]?.chains ?? 0));
  });

  it('counts the longest of parallel sub-chains as worked time, without waiting for people', () => {
    const play = delegated(delegatingAgent(createMap()), [askAll('one', 'two')]);
    const [one, two] = begunBy(play.actions);
    const before = computeWorkedMs(play.state);
    play.after(3_600_000);
    reported(play, one?.chainId ?? '', { charged: charged({ timeMs: 20_000 }) });
    expect(computeWorkedMs(play.state) - before).toBe(20_000);
    reported(play, two?.chainId ?? '', { charged: charged({ timeMs: 50_000 }) });
    expect(computeWorkedMs(play.state) - before).toBe(50_000);
    expect(childrenIn(play)).toEqual([]);
  });
});

describe('the task template', () => {
  it.each<[string, Parameters<typeof renderTask>[1], string]>([
    ['{task}', { task: 'Look.' }, 'Look.'],
    ['Research {topic} for {who}.', { topic: 'tea', who: 'Ann' }, 'Research tea for Ann.'],
    ['Sum {numbers}', { numbers: [1, 2] }, 'Sum [1,2]'],
    ['{task} {more}', { task: 'Look.' }, 'Look.'],
    ['{constructor} {__proto__}', {}, ''],
    ['{task}', { task: '{task} {other}', other: 'x' }, '{task} {other}'],
    ['{task}', 'no object', ''],
  ])('%s', (template, input, text) => expect(renderTask(template, input)).toBe(text));
});
