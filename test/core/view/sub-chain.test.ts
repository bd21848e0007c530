/** The progress of a sub-chain: from its parent's facts alone, and from its own history. */

import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/core/model/chain.js';
import type { StartedChain } from '../../../src/core/model/child.js';
import { type ChainState, emptyState } from '../../../src/core/model/state.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { isVisibleTo, type ParentCall } from '../../../src/core/view/child-status.js';
import type { SubChain } from '../../../src/core/view/reasoning.js';
import {
  formatSubChain,
  listSubChains,
  type SubChainProgress,
  sumSpending,
  toSubChainProgress,
} from '../../../src/core/view/sub-chain.js';
import { createViewer } from '../../../src/core/view/visibility.js';

const begun: StartedChain = { chainId: 'a/1.1', agent: 'helper', task: 'Help', startedAt: 1, end: null };

const charged = { tokens: 900, usd: 0.03, timeMs: 5, chains: 3, usage: noUsage };

function callWith(...chains: readonly StartedChain[]): Call {
  return {
    ...{ id: '1.1', useId: null, tool: 'helper', input: {}, status: 'pending', observation: null },
    ...{ clippedFrom: null, reusedFrom: null, startedAt: 1, endedAt: null },
    chains,
  };
}

function toSubChain(
  chain: StartedChain,
  over = false,
  looked: ReadonlyMap<string, SubChainProgress> = new Map(),
): SubChain {
  return listSubChains(callWith(chain), emptyState, { subChainProgress: looked, parentEnded: over })[0]!;
}

describe("a sub-chain in its parent's facts", () => {
  it('runs until its end is known, and is abandoned if its parent ended first', () => {
    expect(toSubChain(begun)).toMatchObject({ state: 'running', outcome: null, steps: null, own: null, total: null });
    expect(toSubChain(begun, true).state).toBe('abandoned');
  });

  it("has its parent's charge as total, and as its own if it started no sub-chain", () => {
    const ended = { at: 9, outcome: 'success', steps: 4, charged } as const;
    expect(toSubChain({ ...begun, end: ended })).toMatchObject({
      ...{ state: 'completed', outcome: 'success', steps: 4, own: null },
      total: { chains: 3, tokens: 900, costUsd: 0.03 },
    });
    const alone = { ...ended, charged: { ...charged, chains: 1 } };
    expect(toSubChain({ ...begun, end: alone }).own).toEqual({ chains: 1, tokens: 900, costUsd: 0.03 });
  });

  it('is not started if the server did not start it, and has no outcome', () => {
    const ended = { at: 9, outcome: 'not_started', steps: null, charged: null } as const;
    expect(toSubChain({ ...begun, end: ended })).toMatchObject({ state: 'not_started', outcome: null });
  });

  it('has the progress of its own history if that was read', () => {
    const state: ChainState = { ...emptyState, steps: 7, charged: { tokens: 10, usd: 0.5 } };
    const looked = new Map([['a/1.1', toSubChainProgress({ state, outcome: null, below: [], chain: null })]]);
    expect(toSubChain(begun, false, looked)).toMatchObject({ state: 'running', steps: 7, own: { costUsd: 0.5 } });
  });

  it('waits for a person if a chain below it does', () => {
    const below = { ...toSubChain(begun), state: 'waiting', total: { chains: 1, tokens: 5, costUsd: null } } as const;
    const seen = toSubChainProgress({
      state: { ...emptyState, charged: { tokens: 10, usd: 0.5 } },
      outcome: null,
      below: [below],
      chain: null,
    });
    expect(seen).toMatchObject({ state: 'waiting', total: { chains: 2, tokens: 15, costUsd: 0.5 } });
    expect(sumSpending([]).costUsd).toBeNull();
  });
});

describe('a sub-chain in words', () => {
  const spent = { chains: 1, tokens: 1_200, costUsd: 0.02 };
  it.each([
    [{ state: 'completed', outcome: 'success', steps: 3, own: spent, total: spent }, 'success · 3 steps · $0.02'],
    [
      { state: 'failed', outcome: 'token_budget', steps: 1, own: null, total: { ...spent, chains: 3 } },
      'token_budget · 1 step · $0.02 with 2 sub-chains',
    ],
    [
      { state: 'waiting', outcome: null, steps: 2, own: { ...spent, costUsd: null }, total: null },
      'waits for a person · 2 steps · 1,200 tokens',
    ],
    [{ state: 'queued', outcome: null, steps: null, own: null, total: null }, 'queued'],
  ] as const)('%o', (chain, words) => {
    expect(formatSubChain(chain)).toBe(words);
  });
});

describe('L8: updates of a sub-chain', () => {
  const above = (agent: string, tool: string, chainId: string): ParentCall => ({
    ...{ call: '1.1', tool },
    chain: { chainId, agent, tenant: 'acme', tools: { [tool]: { kind: 'sub_agent' } } },
  });
  const ways = [above('lead', 'helper', 'a'), above('helper', 'clerk', 'a/1.1')];

  it('are hidden from a viewer who may not see one of the calls above it', () => {
    const hides = (tool: string) => ({ tools: { [tool]: { childChain: 'hidden' } } }) as const;
    expect(isVisibleTo(ways, createViewer('developer'), {})).toBe(true);
    expect(isVisibleTo(ways, createViewer('developer'), hides('clerk'))).toBe(false);
    expect(isVisibleTo(ways, createViewer('developer'), hides('helper'))).toBe(false);
    expect(isVisibleTo(ways, createViewer('developer', { tenant: 'other' }), {})).toBe(false);
  });
});
