/**
 * L6 for a tree of chains: one budget, whichever chains fail. Each run is a tree of 1 + 10 + 100 agents, played by the
 * real core, with model calls that use up to their full reservation.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCommittedUse, computeTotalUse, listOpenShares } from '../../../../src/core/engine/state/budget-tree.js';
import type { AgentSnapshot } from '../../../../src/core/model/agent.js';
import type { Delegation, DelegationSpread } from '../../../../src/core/model/delegation.js';
import type { ModelReply } from '../../../../src/core/model/fact.js';
import { addUsage, countTotalTokens } from '../../../../src/core/model/usage.js';
import { budget } from '../../../support/budget.js';
import { agentOf, answers, asks, someInput, somePrice, tool } from '../../../support/core-builders.js';
import { Tree, type TreeChain, usedBelow } from '../../../support/core-tree.js';

/** Binary fractions of a dollar: below a billionth of a cent. */
const noise = 1e-9;

interface Run {
  readonly seed: number;
  readonly faults: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly atOnce: number;
  readonly wide: number;
}

const runs = fc.record<Run>({
  seed: fc.integer(),
  faults: fc.constantFrom(0, 30, 100, 300),
  tokens: fc.constantFrom(60_000, 500_000, 5_000_000),
  costUsd: fc.constantFrom(0.05, 1, 20),
  atOnce: fc.constantFrom(1, 3, 10),
  wide: fc.constant(10),
});

/** A share that pays only for the summary, whose first call is lost. */
const cannotPayForAStep: Run = {
  ...{ seed: -458565090, faults: 30, tokens: 500_000, costUsd: 1, atOnce: 1, wide: 10 },
};

const delegation = (agent: string, spread: DelegationSpread, more: Partial<Delegation> = {}): Delegation => ({
  ...{ agent, spread, judge: null, task: '{task}', sees: 'answer', attempts: 2, limits: {}, tenants: null },
  ...more,
});

/** The first agent calls the second ten times in one step; each of these gives ten tasks to the third. */
function threeLevels({ tokens, costUsd, atOnce }: Run): ReadonlyMap<string, AgentSnapshot> {
  const limits = { tokens, costUsd, depth: 5, chains: 400 };
  const dear = { input: 4e-6, output: 2e-5, cacheRead: 4e-7, cacheWrite: 5e-6 };
  const ask = tool('ask', { delegates: delegation('lead', { kind: 'one' }, { sees: 'chain' }) });
  const give = tool('give', { delegates: delegation('worker', { kind: 'map', atOnce, most: 10 }) });
  const agents = [
    agentOf({ name: 'clerk', tools: [ask], limits }),
    agentOf({ name: 'lead', tools: [give], limits: { chains: 100, depth: 5 }, model: { price: somePrice } }),
    agentOf({ name: 'worker', tools: [], model: { price: dear } }),
  ];
  return new Map(agents.map((agent) => [agent.name, agent]));
}

function chooseReply({ wide }: Run, choose: (n: number) => number) {
  const task = (_: unknown, at: number) => ({ tool: 'ask', input: { task: `part ${at}` } });
  const tasks = Array.from({ length: wide }, (_, at) => `piece ${at}`);
  return ({ name }: AgentSnapshot, step: number): ModelReply => {
    if (step > 1 || name === 'worker') return choose(3) === 0 ? asks({ tool: 'ghost' }) : answers(`${name} is done`);
    return name === 'clerk' ? asks(...Array.from({ length: wide }, task)) : asks({ tool: 'give', input: { tasks } });
  };
}

/** A small random generator: one seed determines a run. */
function numbers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, n);
  };
}

function play(run: Run, check: (tree: Tree, moved: TreeChain) => void = neverOverspent): Tree {
  const choose = numbers(run.seed);
  const agents = threeLevels(run);
  const tree = new Tree({
    agents,
    input: someInput,
    reply: chooseReply(run, choose),
    faults: run.faults,
    choose,
    check,
  });
  tree.run();
  return tree;
}

function neverOverspent(tree: Tree, { id, chain: { state } }: TreeChain): void {
  const { agent } = tree.root.chain.state;
  if (agent === null || state.agent === null) return;
  if (tree.tokens > agent.limits.tokens) throw new Error(`The tree used ${tree.tokens} of ${agent.limits.tokens}.`);
  if (tree.usd > (agent.limits.costUsd ?? 0) + noise) throw new Error(`$${tree.usd} of $${agent.limits.costUsd}.`);
  const { tokens, usd } = computeCommittedUse(state);
  const { limits } = state.agent;
  if (tokens > limits.tokens) throw new Error(`${id} used and holds ${tokens} of ${limits.tokens} tokens.`);
  if ((usd ?? 0) > (limits.costUsd ?? 0) + noise) throw new Error(`${id}: $${usd} of $${limits.costUsd}.`);
}

describe('a tree of 1 + 10 + 100 agents with one budget', () => {
  it('never spends more than the root has, at any moment, whichever chains fail', () => {
    let most = 0;
    fc.assert(
      fc.property(runs, (run) => {
        most = Math.max(most, play(run).chains.size);
      }),
      { numRuns: budget(8, 50) },
    );
    expect(most).toBeGreaterThanOrEqual(111);
  });

  it('settles all shares, and charges each chain at least what it and the chains below it used', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const tree = play(run);
        for (const each of tree.chains.values()) {
          if (each.life === 'closed') expect(listOpenShares(each.chain.state)).toEqual([]);
          const { usage, usd } = usedBelow(tree, each);
          const inAll = each.life === 'closed' ? computeTotalUse(each.chain.state) : null;
          for (const charged of [each.charged, inAll]) {
            if (charged === null) continue;
            expect(charged.tokens).toBeGreaterThanOrEqual(countTotalTokens(usage));
            expect(charged.usd ?? 0).toBeGreaterThanOrEqual(usd - noise);
          }
        }
      }),
      { numRuns: budget(8, 50), examples: [[cannotPayForAStep]] },
    );
  });

  it('sums usage exactly where every chain reported', () => {
    let whole = 0;
    fc.assert(
      fc.property(runs, fc.boolean(), (run, rich) => {
        const tree = play(rich ? { ...run, faults: 0, tokens: 1e9, costUsd: 10_000 } : run);
        for (const each of tree.chains.values()) {
          if (each.life !== 'closed' || !each.exact) continue;
          const { state } = each.chain;
          const { usage, usd } = usedBelow(tree, each);
          expect(addUsage(state.usage, state.subChainTotals.usage)).toEqual(usage);
          expect(computeTotalUse(state).tokens).toBe(countTotalTokens(usage));
          expect(computeTotalUse(state).usd ?? 0).toBeCloseTo(usd, 9);
          whole += state.subChainTotals.chains >= 110 ? 1 : 0;
        }
      }),
      { numRuns: budget(8, 50) },
    );
    expect(whole).toBeGreaterThan(budget(1, 10));
  });
});
