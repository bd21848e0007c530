/**
 * Queues the sub-chains of delegating calls and starts them, as far as concurrency and budget allow. The others wait for
 * a free place, or for budget that ended sub-chains return.
 */

import {
  type AgentSnapshot,
  type ChainState,
  type Child,
  getConcurrency,
  hasEnded,
  listTasks,
  type PendingCall,
} from '../../model/index.js';
import { type Advance, emit, unchanged } from '../state/advance.js';
import { computeChildShare, isBudgetHeld } from '../state/budget-tree.js';
import {
  createChild,
  type DelegatingCall,
  findDelegation,
  isQueued,
  listDelegatingCalls,
  replaceChild,
  toNextAttempt,
} from '../state/children.js';
import { replaceCall } from '../state/step.js';
import { validateChainCount } from './validate-delegation.js';

/** Creates the sub-chains of calls that may run. A sub-chain that a person retries gets a new id. */
export function queueChildren(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null) return unchanged(before);
  const ready = listDelegatingCalls(before).filter(({ progress }) => progress === 'ready');
  return emit(ready.reduce((state, call) => replaceCall(state, queueCallChildren(state, agent, call)), before));
}

function queueCallChildren(state: ChainState, agent: AgentSnapshot, call: DelegatingCall): PendingCall {
  const delegation = findDelegation(agent, call);
  if (delegation === null) return { ...call, progress: 'running' };
  if (call.children.length > 0) {
    const again = call.children.map((child) => (child.exists ? toNextAttempt(child) : child));
    return { ...call, progress: 'running', children: again };
  }
  const tasks = listTasks(delegation, call.input);
  const children = tasks.map((_, index): Child => createChild(state, call, index, delegation.spread.kind === 'one'));
  return { ...call, progress: 'running', children };
}

/** Readies sub-chains to start, each with its share. An ending chain starts no sub-chains. */
export function startQueuedChildren(state: ChainState): Advance {
  const { agent } = state;
  if (agent === null || listDelegatingCalls(state).length === 0) return unchanged(state);
  return emit(state.stop === null ? assignShares(state, agent) : dropQueuedChildren(state));
}

function assignShares(before: ChainState, agent: AgentSnapshot): ChainState {
  let state = before;
  let among = listDelegatingCalls(state).reduce((sum, { children }) => sum + children.filter(isQueued).length, 0);
  for (const { id } of listDelegatingCalls(before)) {
    for (;;) {
      const call = listDelegatingCalls(state).find((delegatingCall) => delegatingCall.id === id);
      const next = call?.children.find(isQueued);
      const delegation = call === undefined ? null : findDelegation(agent, call);
      if (call === undefined || next === undefined || delegation === null) break;
      if (call.children.filter(isUnderWay).length >= getConcurrency(delegation)) break;
      const share = computeChildShare(state, agent, delegation, among);
      if (share === null && isBudgetHeld(state)) break;
      among -= 1;
      const updated: Child =
        share === null
          ? { ...next, progress: 'failed', observation: validateChainCount(state, agent) ?? budgetTooSmallText }
          : { ...next, progress: 'ready', share };
      state = replaceChild(state, call, updated);
    }
  }
  return state;
}

const budgetTooSmallText =
  'Not started: the remaining budget is too small for another sub-chain. Continue with what you have.';

function dropQueuedChildren(before: ChainState): ChainState {
  return listDelegatingCalls(before).reduce((state, call) => {
    const children = call.children.map((child) =>
      isQueued(child) || child.progress === 'ready' ? dropChild(child) : child,
    );
    const { judging, ...rest } = call;
    const judgement = judging === undefined || judging === 'wanted' ? {} : { judging };
    return replaceCall(state, { ...rest, ...judgement, children });
  }, before);
}

function dropChild(child: Child): Child {
  return { ...child, progress: 'failed', share: null, observation: 'Not started: the chain ended first.' };
}

function isUnderWay(child: Child): boolean {
  return !hasEnded(child) && !isQueued(child);
}
