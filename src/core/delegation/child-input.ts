/** What a sub-chain is started with: all that it has of its parent. */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Child } from '../model/child.js';
import { type Delegation, taskAt, tasksOf } from '../model/delegation.js';
import type { ChainInput } from '../model/fact.js';
import { type Branch, isLineage, type Lineage, type ShownAs, type StartingCall } from '../model/lineage.js';
import { currentRules } from '../model/rules.js';
import type { State } from '../model/state.js';
import { type DelegatingCall, delegationOf, judgeOf } from '../state/children.js';
import { maxDepthOf } from './blocked.js';
import { answerTokens } from './child-told.js';
import { judgeTask } from './judge.js';

/** Null for a call that no tool of the agent's delegates. */
export function childInput(state: State, agent: AgentSnapshot, call: DelegatingCall, child: Child): ChainInput | null {
  const delegation = delegationOf(agent, call);
  const { input } = state;
  if (delegation === null || input === null || child.share === null) return null;
  const { tokens: _t, costUsd: _c, timeMs: _m, ...limits } = delegation.limits;
  const judges = judgeOf(delegation, child);
  const lineage: Lineage = {
    path: [
      ...(input.lineage?.path ?? []),
      { chainId: state.chainId, agent: agent.name, by: startingCall(agent, call) },
    ],
    call: call.id,
    share: child.share,
    maxDepth: maxDepthOf(state, agent),
    answerTokens: answerTokens(delegation, agent.maxObservationTokens, call.children.length),
    sensitive: [],
    ...branch(state, delegation, call, child),
  };
  return {
    rules: currentRules,
    agent: judges ?? delegation.agent,
    task: taskOf(state, delegation, call, child),
    model: delegation.spread.kind === 'branches' && judges === null ? input.model : null,
    limits: judges === null ? limits : {},
    tenant: input.tenant,
    user: input.user,
    roles: input.roles,
    lineage,
    ...shownBelow(input.shownAs, child.chainId, lineage),
  };
}

/** Below the fork of a sub-chain, the path of that counts too. */
function shownBelow(fork: ShownAs | undefined, chainId: string, lineage: Lineage): { readonly shownAs?: ShownAs } {
  if (!isLineage(fork?.lineage as unknown as Json | undefined) || fork === undefined) return {};
  return { shownAs: { chainId, lineage: { ...lineage, path: [...fork.lineage.path, ...lineage.path] } } };
}

function startingCall({ tools }: AgentSnapshot, { id: call, tool }: DelegatingCall): StartingCall {
  return { call, tool, view: tools.find(({ name }) => name === tool)?.view ?? {} };
}

function taskOf({ input }: State, delegation: Delegation, call: DelegatingCall, child: Child): string {
  if (child.index < 0) {
    const candidates = call.children.filter(({ progress, index }) => progress === 'ok' && index >= 0);
    return judgeTask(tasksOf(delegation, call.input), candidates);
  }
  return delegation.spread.kind === 'branches' ? (input?.task ?? '') : taskAt(delegation, call.input, child.index);
}

/** The step that asks for the branches is not complete: they begin before it. */
function branch(
  state: State,
  delegation: Delegation,
  { input }: DelegatingCall,
  { index }: Child,
): { readonly branch?: Branch } {
  if (delegation.spread.kind !== 'branches' || index < 0) return {};
  const hypothesis = taskAt(delegation, input, index);
  return { branch: { steps: state.steps - 1, hypothesis } };
}
