/** Tools with roles: calls that the roles of a chain do not permit. */

import { expect, it } from 'vitest';
import type { ChainInput } from '../../../../src/core/model/fact.js';
import { getStrategy } from '../../../../src/core/strategies/strategies.js';
import { buildReasoning } from '../../../../src/core/view/build-reasoning.js';
import { formatAboutLines } from '../../../../src/core/view/print/head-lines.js';
import { view } from '../../../../src/core/view/view.js';
import { createViewer } from '../../../../src/core/view/visibility.js';
import { draftsOf } from '../../../support/audit.js';
import { agentOf, answers, asks, look, someInput, someTools, tool } from '../../../support/core-builders.js';
import { ask, begunBy, delegated, delegatingAgent } from '../../../support/core-delegation.js';
import { needs, rules } from '../../../support/core-people.js';
import { kinds, type Play, prepared, started } from '../../../support/core-play.js';

const refund = tool('refund', { effects: 'unsafe', attempts: 1, roles: ['treasury', 'board'], audit: 'none' });
const cashier = agentOf({ tools: [...someTools, refund] });
const refunds = { tool: 'refund', input: { payment: 'p-1' } };

/** A chain whose first reply requests a refund that a policy wants approved. */
function playRefund(input: Partial<ChainInput>): Play {
  const play = prepared(cashier, { ...someInput, ...input });
  play.replied(needs([rules()], refunds));
  return play;
}

it('a call whose tool requires a role that the chain does not have is rejected before any approval request', () => {
  const play = playRefund({ user: 'tom', roles: ['clerk', 'Treasury'] });
  expect([play.ran, play.statuses]).toEqual([[], ['not_permitted']]);
  expect(play.entries.map(({ type }) => type)).not.toContain('request-opened');
  expect(kinds(play.actions)).toEqual(['callModel']);
  expect(playRefund({ roles: [] }).statuses).toEqual(['not_permitted']);
});

it('one of the roles of a tool is enough, and its approval is then requested as usual', () => {
  const play = playRefund({ roles: ['clerk', 'board'] });
  expect([play.ran, play.statuses]).toEqual([[], ['pending']]);
  expect(play.step.calls[0]?.requests).toHaveLength(1);
  const free = prepared(cashier);
  free.replied(asks(look()));
  expect(free.ran).toEqual(['1.1']);
});

it('the model sees which role a rejected call requires, without an error', () => {
  const play = playRefund({ roles: ['clerk'] });
  const { messages } = getStrategy(cashier.strategy).render(play.chain, cashier);
  const text = JSON.stringify(messages.at(-1));
  expect(text).toContain('Not permitted: refund requires one of the roles treasury, board');
  expect(text).not.toContain('Error:');
});

it('readers see a rejected call as a step with its own status, and the chain continues', () => {
  const play = playRefund({ user: 'tom' });
  play.replied(answers('I may not refund it.'));
  expect(play.result.outcome).toBe('success');
  const { steps, summary } = view(buildReasoning(play.chain), createViewer('end_user'));
  expect(steps.map((step) => ('status' in step ? `${step.id} ${step.status ?? ''}` : step.id))).toEqual([
    '1 ',
    '1.1 not_permitted',
    '1.1r not_permitted',
    '2a',
  ]);
  expect(summary).toContain('1 not permitted');
});

it('the audit log names a rejected call, its required roles and the requester, at any audit level of the tool', () => {
  const play = playRefund({ user: 'tom', roles: ['clerk'] });
  play.replied(answers('I may not refund it.'));
  const rejected = draftsOf(play).filter(({ type }) => type.startsWith('tool_') || type === 'call_not_permitted');
  expect(rejected).toMatchObject([
    {
      type: 'call_not_permitted',
      what: { call: '1.1', tool: 'refund', required: ['treasury', 'board'] },
      who: { by: 'tom', roles: ['clerk'] },
    },
  ]);
});

it('readers of the tenant see the user and the roles of a chain, readers of other tenants do not', () => {
  const play = playRefund({ tenant: 'acme', user: 'tom', roles: ['clerk', 'board'] });
  const seenBy = (tenant: string) => view(buildReasoning(play.chain), createViewer('developer', { tenant }));
  expect(seenBy('acme')).toMatchObject({ user: 'tom', roles: ['clerk', 'board'] });
  expect(JSON.stringify(formatAboutLines(seenBy('acme')))).toContain('roles clerk, board');
  expect(seenBy('shop')).toMatchObject({ user: null, roles: [] });
});

it('a sub-chain has the tenant, the user and the roles of its parent; an agent used as a tool honours roles too', () => {
  const requester = { tenant: 'acme', user: 'tom', roles: ['clerk'] };
  const play = delegated(delegatingAgent(), [ask()], { ...someInput, ...requester });
  expect(begunBy(play.actions).map(({ input }) => input)).toMatchObject([requester]);
  const agent = delegatingAgent();
  const guarded = { ...agent, tools: agent.tools.map((each) => ({ ...each, roles: ['board'] })) };
  const rejected = delegated(guarded, [ask()], { ...someInput, ...requester });
  expect([begunBy(rejected.actions), rejected.statuses]).toEqual([[], ['not_permitted']]);
});

it('a start whose roles are no list of texts ends the chain: a text would contain other roles', () => {
  for (const roles of ['treasury-intern', [1], { treasury: true }]) {
    const play = started({ ...someInput, roles: roles as unknown as ChainInput['roles'] });
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'invalid_start' });
    expect(draftsOf(play)[0]).toMatchObject({ type: 'chain_started', who: { roles: [] } });
  }
});
