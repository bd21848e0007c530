/** Approvals of calls that delegate: a sub-chain starts after its approval, with the model's arguments. */

import { expect, it } from 'vitest';
import { findRejection } from '../../../../src/core/engine/approvals/command-rejection.js';
import type { Delegation } from '../../../../src/core/model/delegation.js';
import { agentOf, someInput, tool } from '../../../support/core-builders.js';
import { decides, needs, rules } from '../../../support/core-people.js';
import { type Play, prepared } from '../../../support/core-play.js';

const delegates: Delegation = {
  agent: 'researcher',
  spread: { kind: 'one' },
  judge: null,
  task: '{task}',
  sees: 'answer',
  attempts: 1,
  limits: {},
  tenants: null,
};

function playRequest(): Play {
  const play = prepared(agentOf({ tools: [tool('researcher', { effects: 'idempotent', delegates })] }));
  play.replied(needs([rules()], { tool: 'researcher', input: { task: 'Find out.' } }));
  return play;
}

it('a sub-chain starts when its call is approved, and not before', () => {
  const play = playRequest();
  expect(play.asked.map(({ type }) => type)).not.toContain('startChildren');
  expect(play.take(decides('1.1', { kind: 'approve' }))).toMatchObject([
    { type: 'startChildren', starts: [{ chainId: `${play.state.chainId}/1.1`, input: { task: 'Find out.' } }] },
  ]);
});

it('the arguments of a delegating call cannot be changed: no policy would check them again', () => {
  const { state, at } = playRequest();
  const changed = { ...decides('1.1', { kind: 'approve', input: { task: 'Something else.' } }), at };
  expect(findRejection(state, changed, at)).toMatchObject({
    code: 'arguments_fixed',
    message: expect.stringMatching(/^The arguments of call 1\.1 cannot be changed, because researcher delegates/),
  });
  const same = { ...decides('1.1', { kind: 'approve', input: { task: 'Find out.' } }), at };
  expect(findRejection(state, same, at)).toBeNull();
});

it('a denied call starts no sub-chain', () => {
  const play = playRequest();
  play.take(decides('1.1', { kind: 'deny' }));
  expect(play.statuses).toEqual(['denied']);
  expect(play.asked.map(({ type }) => type)).not.toContain('startChildren');
});

it("the stop reason of a sub-chain distinguishes Temporal's own cancel from a person's", () => {
  const share = { tokens: 10_000, usd: null, timeMs: 1_000, chains: 0 };
  const path = [{ chainId: 'root-1', agent: 'lead', by: { call: '1.1', tool: 'ask', view: {} } }];
  const lineage = { path, call: '1.1', share, maxDepth: 5, answerTokens: 100, sensitive: [] };
  const below = () => prepared(agentOf(), { ...someInput, lineage });
  const above = below();
  above.cancelledByTemporal();
  expect(above.state.stop?.reason).toEqual({ code: 'cancelled_from_above', parent: 'root-1' });
  const named = below();
  named.cancelledBy('ana', 'enough');
  expect(named.state.stop?.reason).toEqual({ code: 'cancelled', by: 'ana', why: 'enough' });
});
