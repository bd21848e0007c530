/** Rejected delegations: cycles, depth, tenants, number of chains. The model sees the reason (L4). */

import { describe, expect, it } from 'vitest';
import { validateDelegation } from '../../../../src/core/engine/delegation/validate-delegation.js';
import type { Delegation } from '../../../../src/core/model/delegation.js';
import type { Lineage } from '../../../../src/core/model/lineage.js';
import { someInput } from '../../../support/core-builders.js';
import {
  ask,
  begunBy,
  delegated,
  delegatingAgent,
  delegation,
  lineage,
  reported,
} from '../../../support/core-delegation.js';
import { prepared } from '../../../support/core-play.js';

interface Case {
  readonly from?: Partial<Lineage>;
  readonly to?: Partial<Delegation>;
  readonly limits?: { readonly depth?: number; readonly chains?: number };
  readonly tenant?: string;
}

function findBlock({ from, to, limits = {}, tenant }: Case): string | null {
  const agent = delegatingAgent({}, { limits });
  const input = { ...someInput, tenant: tenant ?? null, ...(from === undefined ? {} : { lineage: lineage(from) }) };
  return validateDelegation(prepared(agent, input).state, agent, delegation(to));
}

const by = { call: '1.1', tool: 'ask', view: {} };
const path = (...agents: readonly string[]) => ({
  path: agents.map((agent, at) => ({ chainId: `c${at}`, agent, by })),
});
const branches = { kind: 'branches', most: 3 } as const;

describe('a cycle', () => {
  it.each<[string, Case, string | null]>([
    ['is closed by the agent itself', { to: { agent: 'clerk' } }, 'clerk → clerk'],
    [
      'is closed by an agent above',
      { from: path('boss', 'head'), to: { agent: 'boss' } },
      'boss → head → clerk → boss',
    ],
    [
      'is reported from the nearest occurrence',
      { from: path('boss', 'head'), to: { agent: 'head' } },
      'head → clerk → head',
    ],
    ['is not closed by another agent', { from: path('boss', 'head'), to: { agent: 'aide' } }, null],
    ['is closed by a judging agent', { to: { judge: { by: 'agent', agent: 'clerk' } } }, 'clerk → clerk'],
    ['is not closed by branches of the agent itself', { to: { agent: 'clerk', spread: branches } }, null],
    [
      'is closed by an agent that judges branches',
      { to: { agent: 'clerk', spread: branches, judge: { by: 'agent', agent: 'clerk' } } },
      'clerk → clerk',
    ],
  ])('%s', (_, given, cycle) => {
    const why = findBlock(given);
    if (cycle === null) expect(why).toBeNull();
    else expect(why).toContain(`(${cycle})`);
  });

  it('is not closed by a branch, which may delegate but not branch again', () => {
    const from = { branch: { steps: 1, hypothesis: 'x' } };
    expect(findBlock({ from, to: { agent: 'aide' } })).toBeNull();
    expect(findBlock({ from, to: { spread: branches } })).toBe(
      'Not branched: this chain is already a branch. Continue without branching.',
    );
  });
});

describe('depth', () => {
  it.each<[string, Case, boolean]>([
    ['allows five levels', { from: path('1', '2', '3', '4') }, false],
    ['rejects a sixth level', { from: path('1', '2', '3', '4', '5') }, true],
    ['is limited by an agent above', { from: { ...path('1', '2'), maxDepth: 2 } }, true],
    ['is limited by the agent itself', { limits: { depth: 0 } }, true],
    ['cannot be raised below a lower limit', { from: { ...path('1', '2'), maxDepth: 2 }, limits: { depth: 9 } }, true],
  ])('%s', (_, given, isBlocked) => {
    expect(findBlock(given) !== null).toBe(isBlocked);
    if (isBlocked)
      expect(findBlock(given)).toMatch(
        /^Not delegated: (this chain has depth \d; the limit is \d|the depth limit is 0)/,
      );
  });
});

describe('tenants', () => {
  it.each<[string, Case, boolean]>([
    ['may use an agent without a tenant', { tenant: 'acme' }, false],
    ['may use their own agents', { tenant: 'acme', to: { tenants: ['acme'] } }, false],
    ['may use agents shared with them', { tenant: 'acme', to: { tenants: ['other', 'acme'] } }, false],
    ['may not use an agent of another tenant', { tenant: 'acme', to: { tenants: ['other'] } }, true],
    ['are required for an agent that has a tenant', { to: { tenants: ['other'] } }, true],
  ])('%s', (_, given, isBlocked) => expect(findBlock(given) !== null).toBe(isBlocked));
});

describe('the limit of sub-chains', () => {
  it('counts ended sub-chains and the sub-chains that running ones may still start', () => {
    const play = delegated(delegatingAgent({}, { limits: { chains: 2 } }), [ask('one')]);
    const [first] = begunBy(play.actions);
    expect(first?.input.lineage?.share.chains).toBe(1);
    expect(validateDelegation(play.state, play.state.agent!, delegation())).toContain(
      'the limit of 2 sub-chains is reached',
    );
    reported(play, first?.chainId ?? '');
    // It started no sub-chains, so its part is free again.
    expect(validateDelegation(play.state, play.state.agent!, delegation())).toBeNull();
  });
});
