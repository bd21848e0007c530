/** The calls of a step that delegate, and the chains that each begins: found, made and changed. */

import type { AgentSnapshot } from '../model/agent.js';
import type { Child } from '../model/child.js';
import type { Delegation } from '../model/delegation.js';
import type { PendingCall, State } from '../model/state.js';
import { callsIn } from './flight.js';
import { withCall } from './step.js';

export type DelegatingCall = PendingCall & { readonly children: readonly Child[] };

export function delegating(state: Pick<State, 'flight'>): readonly DelegatingCall[] {
  return callsIn(state).filter((call): call is DelegatingCall => call.children !== undefined);
}

export function delegationOf(agent: AgentSnapshot, { tool }: Pick<PendingCall, 'tool'>): Delegation | null {
  return agent.tools.find(({ name }) => name === tool)?.delegates ?? null;
}

/** Whose chain it is where it judges the others; null for one of those. */
export function judgeOf({ judge }: Delegation, { index }: Pick<Child, 'index'>): string | null {
  return index < 0 && judge?.by === 'agent' ? judge.agent : null;
}

/** Whose chain it is. */
export function agentOf(delegation: Delegation, child: Pick<Child, 'index'>): string {
  return judgeOf(delegation, child) ?? delegation.agent;
}

/** @param index -1 for one that judges the others */
export function newChild({ chainId }: State, { id }: PendingCall, index: number, alone: boolean): Child {
  const name = alone ? `${chainId}/${id}` : `${chainId}/${id}.${index < 0 ? 'judge' : index + 1}`;
  return { chainId: name, index, attempt: 1, progress: 'queued', share: null, begun: null, told: null };
}

/** For the same task, under another name: a chain id is used once. */
export function nextAttempt({ chainId, index, attempt }: Child): Child {
  const name = `${chainId.replace(/~\d+$/, '')}~${attempt + 1}`;
  return { chainId: name, index, attempt: attempt + 1, progress: 'queued', share: null, begun: null, told: null };
}

interface Found {
  readonly call: DelegatingCall;
  readonly child: Child;
}

/** A chain of that name which has come so far; null for none. */
export function childOf(state: State, chainId: string, progress: Child['progress']): Found | null {
  for (const call of delegating(state)) {
    const child = call.children.find((each) => each.chainId === chainId && each.progress === progress);
    if (child !== undefined) return { call, child };
  }
  return null;
}

/** @param was the name that it had until now */
export function withChild(state: State, call: DelegatingCall, child: Child, was = child.chainId): State {
  const now = delegating(state).find(({ id }) => id === call.id) ?? call;
  const children = now.children.map((each) => (each.chainId === was ? child : each));
  return withCall(state, { ...now, children });
}

export function isQueued({ progress }: Child): boolean {
  return progress === 'queued';
}
