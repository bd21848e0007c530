/** Delegations that are not begun: circles, depth, tenants, number; the model is told why (L4). */

import { describe, expect, it } from 'vitest';
import { validateDelegation } from '../../../src/core/delegation/validate-delegation.js';
import type { Delegation } from '../../../src/core/model/delegation.js';
import type { Lineage } from '../../../src/core/model/lineage.js';
import { someInput } from '../../support/core-builders.js';
import {
  ask,
  begunBy,
  delegated,
  delegatingAgent,
  delegation,
  lineage,
  reported,
} from '../../support/core-delegation.js';
import { prepared } from '../../support/core-play.js';

interface Case {
  readonly from?: Partial<Lineage>;
  readonly to?: Partial<Delegation>;
  readonly limits?: { readonly depth?: number; readonly chains?: number };
  readonly tenant?: string;
}

function blocked({ from, to, limits = {}, tenant }: Case): string | null {
  const agent = delegatingAgent({}, { limits });
  const input = { ...someInput, tenant: tenant ?? null, ...(from === undefined ? {} : { lineage: lineage(from) }) };
  return validateDelegation(prepared(agent, input).state, agent, delegation(to));
}

const by = { call: '1.1', tool: 'ask', view: {} };
const path = (...agents: readonly string[]) => ({
  path: agents.map((agent, at) => ({ chainId: `c${at}`, agent, by })),
});
const branches = { kind: 'branches', most: 3 } as const;

describe('a circle', () => {
  it.each<[string, Case, string | null]>([
    ['of oneself', { to: { agent: 'clerk' } }, 'clerk → clerk'],
    ['of whoever is above', { from: path('boss', 'head'), to: { agent: 'boss' } }, 'boss → head → clerk → boss'],
    ['of the nearest part alone', { from: path('boss', 'head'), to: { agent: 'head' } }, 'head → clerk → head'],
    ['is none beside one', { from: path('boss', 'head'), to: { agent: 'aide' } }, null],
    ['is closed by a judge too', { to: { judge: { by: 'agent', agent: 'clerk' } } }, 'clerk → clerk'],
    ['is none for branches of oneself', { to: { agent: 'clerk', spread: branches } }, null],
    [
      'is closed by who judges branches',
      { to: { agent: 'clerk', spread: branches, judge: { by: 'agent', agent: 'clerk' } } },
      'clerk → clerk',
    ],
  ])('%s', (_, given, circle) => {
    const why = blocked(given);
    if (circle === null) expect(why).toBeNull();
    else expect(why).toContain(`(${circle})`);
  });

  it('is none for a branch, which may delegate but not branch again', () => {
    const from = { branch: { steps: 1, hypothesis: 'x' } };
    expect(blocked({ from, to: { agent: 'aide' } })).toBeNull();
    expect(blocked({ from, to: { spread: branches } })).toBe(
      'Not branched: this is a branch already. Go on by yourself.',
    );
  });
});

describe('depth', () => {
  it.each<[string, Case, boolean]>([
    ['five levels', { from: path('1', '2', '3', '4') }, false],
    ['no sixth', { from: path('1', '2', '3', '4', '5') }, true],
    ['less, where an agent above says so', { from: { ...path('1', '2'), maxDepth: 2 } }, true],
    ['less, where the agent says so', { limits: { depth: 0 } }, true],
    ['never more than what is said above', { from: { ...path('1', '2'), maxDepth: 2 }, limits: { depth: 9 } }, true],
  ])('%s', (_, given, isBlocked) => {
    expect(blocked(given) !== null).toBe(isBlocked);
    if (isBlocked)
      expect(blocked(given)).toMatch(
        /^Not delegated: (this chain is \d deep, and chains may be \d deep|the limit of depth is 0)/,
      );
  });
});

describe('tenants', () => {
  it.each<[string, Case, boolean]>([
    ['an agent of nobody is everybody`s', { tenant: 'acme' }, false],
    ['its own', { tenant: 'acme', to: { tenants: ['acme'] } }, false],
    ['shared with it', { tenant: 'acme', to: { tenants: ['other', 'acme'] } }, false],
    ['another`s', { tenant: 'acme', to: { tenants: ['other'] } }, true],
    ['of a chain without a tenant', { to: { tenants: ['other'] } }, true],
  ])('%s', (_, given, isBlocked) => expect(blocked(given) !== null).toBe(isBlocked));
});

describe('the number of chains', () => {
  it('counts those that have ended and all that those that run may still begin', () => {
    const play = delegated(delegatingAgent({}, { limits: { chains: 2 } }), [ask('one')]);
    const [first] = begunBy(play.actions);
    expect(first?.input.lineage?.share.chains).toBe(1);
    expect(validateDelegation(play.state, play.state.agent!, delegation())).toContain('all 2 sub-chains');
    reported(play, first?.chainId ?? '');
    // It began none below: its part came back.
    expect(validateDelegation(play.state, play.state.agent!, delegation())).toBeNull();
  });
});
