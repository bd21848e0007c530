/**
 * What delegating calls need next: chains to start, with all that each has of its parent, chains to read, answers to score.
 * And the state once that has begun.
 */

import type { Json } from '../lib/json.js';
import type { ChildrenAction } from '../model/action.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Child } from '../model/child.js';
import { type Delegation, taskAt, tasksOf } from '../model/delegation.js';
import { type ChainInput, currentRules } from '../model/fact.js';
import { type Branch, isLineage, type Lineage, type ShownAs, type StartingCall } from '../model/lineage.js';
import type { State } from '../model/state.js';
import { type DelegatingCall, delegating, delegationOf, judgeOf } from '../state/children.js';
import { workedMs } from '../state/flight.js';
import { withCall } from '../state/step.js';
import { maxDepthOf } from './blocked.js';
import { answerTokens } from './child-told.js';
import { judgeTask } from './judge.js';

export function nextForChildren(state: State): readonly ChildrenAction[] {
  return [...childrenToStart(state), ...childrenToRead(state), ...answersToScore(state)];
}

/** Also of a chain that comes to its end: what they used is to be known. */
export function childrenToRead(state: State): readonly ChildrenAction[] {
  const { agent } = state;
  if (agent === null) return [];
  const children = delegating(state).flatMap((call) => {
    const delegation = delegationOf(agent, call);
    const sees = delegation?.sees ?? 'answer';
    const most = agent.maxObservationTokens;
    const maxTokens = delegation === null ? most : answerTokens(delegation, most, call.children.length);
    return call.children.flatMap(({ chainId, progress }) =>
      progress === 'unread' ? [{ chainId, sees, maxTokens }] : [],
    );
  });
  return children.length === 0 ? [] : [{ type: 'readChildren', children }];
}

function childrenToStart(state: State): readonly ChildrenAction[] {
  const { agent } = state;
  if (agent === null) return [];
  const starts = delegating(state).flatMap((call) =>
    call.children.flatMap((child) => {
      const input = child.progress === 'asked' ? childInput(state, agent, call, child) : null;
      return input === null ? [] : [{ chainId: child.chainId, input }];
    }),
  );
  return starts.length === 0 ? [] : [{ type: 'startChildren', starts }];
}

function answersToScore(state: State): readonly ChildrenAction[] {
  return delegating(state).flatMap((call) => {
    if (call.judging !== 'wanted' || state.agent === null) return [];
    const delegation = delegationOf(state.agent, call);
    const tasks = delegation === null ? [] : tasksOf(delegation, call.input);
    const candidates = call.children.flatMap(({ progress, index, told }) =>
      progress === 'ok' && index >= 0 ? [{ task: tasks[index] ?? '', answer: told }] : [],
    );
    return [{ type: 'score', call: call.id, tool: call.tool, candidates } as const];
  });
}

export function beginChildren(state: State, action: ChildrenAction): State {
  switch (action.type) {
    case 'startChildren': {
      const begun = { at: state.now, workedMs: workedMs(state) };
      return changeAll(state, 'asked', (child) => ({ ...child, progress: 'running', begun }));
    }
    case 'readChildren':
      return changeAll(state, 'unread', (child) => ({ ...child, progress: 'reading' }));
    case 'score': {
      const call = delegating(state).find(({ id }) => id === action.call);
      return call === undefined ? state : withCall(state, { ...call, judging: 'scoring' });
    }
  }
}

function changeAll(before: State, from: Child['progress'], change: (child: Child) => Child): State {
  return delegating(before).reduce((state, call) => {
    if (!call.children.some(({ progress }) => progress === from)) return state;
    const children = call.children.map((child) => (child.progress === from ? change(child) : child));
    return withCall(state, { ...call, children });
  }, before);
}

/** Null for a call that no tool of the agent's delegates. */
function childInput(state: State, agent: AgentSnapshot, call: DelegatingCall, child: Child): ChainInput | null {
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
