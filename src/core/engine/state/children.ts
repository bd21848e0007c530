/** Calls of a step that delegate, and their sub-chains. */

import type { AgentSnapshot, ChainState, Child, Delegation, PendingCall } from '../../model/index.js';
import { listCalls } from './flight.js';
import { replaceCall } from './step.js';

export type DelegatingCall = PendingCall & { readonly children: readonly Child[] };

export function listDelegatingCalls(state: Pick<ChainState, 'flight'>): readonly DelegatingCall[] {
  return listCalls(state).filter((call): call is DelegatingCall => call.children !== undefined);
}

export function findDelegation(agent: AgentSnapshot, { tool }: Pick<PendingCall, 'tool'>): Delegation | null {
  return agent.tools.find(({ name }) => name === tool)?.delegates ?? null;
}

/** Returns whether a sub-chain is the judge of its call, which has no position among the candidates. */
export function isJudge({ index }: Pick<Child, 'index'>): boolean {
  return index < 0;
}

/** Returns the agent of the judge; null for a sub-chain that is not a judge. */
export function findJudgeAgent({ judge }: Delegation, child: Pick<Child, 'index'>): string | null {
  return isJudge(child) && judge?.by === 'agent' ? judge.agent : null;
}

/** Returns the name of the sub-chain's agent. */
export function getChildAgent(delegation: Delegation, child: Pick<Child, 'index'>): string {
  return findJudgeAgent(delegation, child) ?? delegation.agent;
}

/** @param index -1 for the judge */
export function createChild({ chainId }: ChainState, { id }: PendingCall, index: number, alone: boolean): Child {
  const name = alone ? `${chainId}/${id}` : `${chainId}/${id}.${index < 0 ? 'judge' : index + 1}`;
  return createQueuedChild(name, index, 1);
}

/** Creates the next attempt at the same task, with a new chain id: ids are used once. */
export function toNextAttempt({ chainId, index, attempt }: Child): Child {
  return createQueuedChild(`${chainId.replace(/~\d+$/, '')}~${attempt + 1}`, index, attempt + 1);
}

function createQueuedChild(chainId: string, index: number, attempt: number): Child {
  return { chainId, index, attempt, progress: 'queued', share: null, start: null, observation: null };
}

export interface ChildMatch {
  readonly call: DelegatingCall;
  readonly child: Child;
}

/** Finds a sub-chain by id and progress; null for none. */
export function findChild(state: ChainState, chainId: string, progress: Child['progress']): ChildMatch | null {
  for (const call of listDelegatingCalls(state)) {
    const child = call.children.find((candidate) => candidate.chainId === chainId && candidate.progress === progress);
    if (child !== undefined) return { call, child };
  }
  return null;
}

/** @param was its id before the change */
export function replaceChild(state: ChainState, call: DelegatingCall, child: Child, was = child.chainId): ChainState {
  const now = listDelegatingCalls(state).find(({ id }) => id === call.id) ?? call;
  const children = now.children.map((other) => (other.chainId === was ? child : other));
  return replaceCall(state, { ...now, children });
}

export function isQueued({ progress }: Child): boolean {
  return progress === 'queued';
}
