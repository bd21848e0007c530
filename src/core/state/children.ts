/** The calls of a step that delegate, and the chains that each begins: found, made and changed. */

import type { AgentSnapshot } from '../model/agent.js';
import type { Child } from '../model/child.js';
import type { Delegation } from '../model/delegation.js';
import type { ChainState, PendingCall } from '../model/state.js';
import { listCalls } from './flight.js';
import { replaceCall } from './step.js';

export type DelegatingCall = PendingCall & { readonly children: readonly Child[] };

export function listDelegatingCalls(state: Pick<ChainState, 'flight'>): readonly DelegatingCall[] {
  return listCalls(state).filter((call): call is DelegatingCall => call.children !== undefined);
}

export function findDelegation(agent: AgentSnapshot, { tool }: Pick<PendingCall, 'tool'>): Delegation | null {
  return agent.tools.find(({ name }) => name === tool)?.delegates ?? null;
}

/** Whose chain it is where it judges the others; null for one of those. */
export function findJudgeAgent({ judge }: Delegation, { index }: Pick<Child, 'index'>): string | null {
  return index < 0 && judge?.by === 'agent' ? judge.agent : null;
}

/** Whose chain it is. */
export function getChildAgent(delegation: Delegation, child: Pick<Child, 'index'>): string {
  return findJudgeAgent(delegation, child) ?? delegation.agent;
}

/** @param index -1 for one that judges the others */
export function createChild({ chainId }: ChainState, { id }: PendingCall, index: number, alone: boolean): Child {
  const name = alone ? `${chainId}/${id}` : `${chainId}/${id}.${index < 0 ? 'judge' : index + 1}`;
  return { chainId: name, index, attempt: 1, progress: 'queued', share: null, start: null, observation: null };
}

/** For the same task, under another name: a chain id is used once. */
export function toNextAttempt({ chainId, index, attempt }: Child): Child {
  const name = `${chainId.replace(/~\d+$/, '')}~${attempt + 1}`;
  return {
    chainId: name,
    index,
    attempt: attempt + 1,
    progress: 'queued',
    share: null,
    start: null,
    observation: null,
  };
}

interface ChildMatch {
  readonly call: DelegatingCall;
  readonly child: Child;
}

/** A chain of that name which has come so far; null for none. */
export function findChild(state: ChainState, chainId: string, progress: Child['progress']): ChildMatch | null {
  for (const call of listDelegatingCalls(state)) {
    const child = call.children.find((each) => each.chainId === chainId && each.progress === progress);
    if (child !== undefined) return { call, child };
  }
  return null;
}

/** @param was the name that it had until now */
export function replaceChild(state: ChainState, call: DelegatingCall, child: Child, was = child.chainId): ChainState {
  const now = listDelegatingCalls(state).find(({ id }) => id === call.id) ?? call;
  const children = now.children.map((each) => (each.chainId === was ? child : each));
  return replaceCall(state, { ...now, children });
}

export function isQueued({ progress }: Child): boolean {
  return progress === 'queued';
}
