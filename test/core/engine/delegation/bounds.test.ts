/** Bounds of delegations: no call can request more than a server or a workflow can process. */

import { expect, it } from 'vitest';
import { delegate, explore, mapAgent } from '../../../../src/agents/delegate.js';
import { validateDelegation } from '../../../../src/core/engine/delegation/validate-delegation.js';
import { settleChild } from '../../../../src/core/engine/state/budget-tree.js';
import type { Child } from '../../../../src/core/model/child.js';
import { isLineage } from '../../../../src/core/model/lineage.js';
import { noUsage } from '../../../../src/core/model/usage.js';
import { agentOf, someInput } from '../../../support/core-builders.js';
import { prepared } from '../../../support/core-play.js';
import { matchError } from '../../../support/match-error.js';

it('samples, hypotheses and tasks per call are limited', () => {
  expect(() => delegate('a', { samples: 21 })).toThrow(matchError('invalid_tool', 'samples must be 20 at most'));
  expect(() => explore({ maxHypotheses: 21 })).toThrow(matchError('invalid_tool', 'maxHypotheses must be 20 at most'));
  expect(() => mapAgent('a', { maxTasks: 1_001 })).toThrow(matchError('invalid_tool', 'maxTasks must be 1000 at most'));
  expect(delegate('a', { samples: 20 }).snapshot.delegates?.spread).toEqual({ kind: 'samples', count: 20 });
});

it('a chain whose task is too long cannot branch', () => {
  const { delegates } = explore().snapshot;
  const blocked = (task: string) => {
    const { state } = prepared(agentOf(), { ...someInput, task });
    return delegates === null || state.agent === null ? null : validateDelegation(state, state.agent, delegates);
  };
  expect(blocked('x'.repeat(100_001))).toMatch(/^Not branched: the task of this chain is 100001 bytes/);
  expect(blocked('x'.repeat(100_000))).toBeNull();
});

it('usage without a price is charged the full dollar share', () => {
  const { state } = prepared();
  const share = { tokens: 1_000, usd: 0.5, timeMs: 1_000, chains: 0 };
  const begun = { at: state.now, workedMs: 0 };
  const child: Child = {
    chainId: 'c',
    index: 0,
    attempt: 1,
    progress: 'running',
    share,
    start: begun,
    observation: null,
  };
  const charged = { tokens: 10, usd: null, timeMs: 0, chains: 1, usage: noUsage };
  expect(settleChild(state, child, charged).subChainTotals.usd).toBe(0.5);
  expect(settleChild(state, child, { ...charged, tokens: 0 }).subChainTotals.usd).toBeNull();
});

it('a lineage with an invalid branch is rejected', () => {
  const share = { tokens: 10_000, usd: null, timeMs: 1_000, chains: 0 };
  const by = { call: '1.1', tool: 'ask', view: {} };
  const path = [{ chainId: 'r', agent: 'a', by }];
  const lineage = { path, call: '1.1', share, maxDepth: 5, answerTokens: 100, sensitive: [] };
  expect(isLineage(lineage)).toBe(true);
  expect(isLineage({ ...lineage, branch: { steps: 1, hypothesis: 'It is the clock.' } })).toBe(true);
  expect(isLineage({ ...lineage, branch: { steps: -1, hypothesis: 'It is the clock.' } })).toBe(false);
  expect(isLineage({ ...lineage, branch: 'me' })).toBe(false);
});
