/** Chains of the core that delegate, with defaults for members that a test omits. */

import type { Action, ChildStart } from '../../src/core/model/action.js';
import type { AgentSnapshot } from '../../src/core/model/agent.js';
import type { Child, ChildCharge, ChildReport } from '../../src/core/model/child.js';
import type { Delegation } from '../../src/core/model/delegation.js';
import type { Lineage } from '../../src/core/model/lineage.js';
import { noUsage } from '../../src/core/model/usage.js';
import { type Asked, agentOf, asks, someInput, someTools, tool } from './core-builders.js';
import { type Play, prepared } from './core-play.js';

export const delegation = (more: Partial<Delegation> = {}): Delegation => ({
  ...{ agent: 'aide', spread: { kind: 'one' }, judge: null, task: '{task}', sees: 'answer' },
  ...{ attempts: 1, limits: {}, tenants: null },
  ...more,
});

export const lineage = (more: Partial<Lineage> = {}): Lineage => ({
  ...{
    path: [{ chainId: 'root', agent: 'boss', by: { call: '1.1', tool: 'ask', view: {} } }],
    call: '1.1',
    maxDepth: 5,
    answerTokens: 500,
    sensitive: [],
  },
  share: { tokens: 100_000, usd: 1, timeMs: 60_000, chains: 5 },
  ...more,
});

/** A clerk with a delegating tool in addition to the usual ones. */
export function delegatingAgent(
  how: Partial<Delegation> = {},
  more: Parameters<typeof agentOf>[0] = {},
): AgentSnapshot {
  const ask = tool('ask', { delegates: delegation(how) });
  return agentOf({ ...more, tools: [...someTools, ask], limits: { depth: 5, chains: 200, ...more.limits } });
}

export const ask = (task = 'look'): Asked => ({ tool: 'ask', input: { task } });
export const askAll = (...tasks: readonly string[]): Asked => ({ tool: 'ask', input: { tasks } });

/** A prepared chain whose first reply requests these calls. */
export function delegated(agent: AgentSnapshot, calls: readonly Asked[] = [ask()], input = someInput): Play {
  const play = prepared(agent, input);
  play.replied(asks(...calls));
  return play;
}

export const charged = (more: Partial<ChildCharge> = {}): ChildCharge => ({
  ...{ tokens: 1_000, usd: 0.01, timeMs: 100, chains: 1, usage: { ...noUsage, input: 900, output: 100 } },
  ...more,
});

export const report = (more: Partial<ChildReport> = {}): ChildReport => ({
  ...{ outcome: 'success', answer: 'Found.', partial: null, reason: 'Answered in 1 step.', steps: 1 },
  charged: charged(),
  hasUnsafeCalls: false,
  ...more,
});

export function reported(play: Play, chainId: string, more: Partial<ChildReport> = {}): readonly Action[] {
  return play.take({ type: 'childEnded', chainId, end: { type: 'reported', report: report(more) } });
}

/** Returns the sub-chains that these actions start. */
export function begunBy(actions: readonly Action[]): readonly ChildStart[] {
  return actions.flatMap((action) => (action.type === 'startChildren' ? action.starts : []));
}

export function childrenIn({ state }: Play): readonly Child[] {
  return state.flight.kind === 'calls' ? state.flight.calls.flatMap(({ children = [] }) => children) : [];
}
