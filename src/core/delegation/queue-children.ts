/**
 * Which chains of the calls under way may be begun: as many as run at once, each with a part of what is left of the
 * budget. The others wait for their turn, or for what comes back.
 */

import type { AgentSnapshot } from '../model/agent.js';
import { type Child, hasEnded } from '../model/child.js';
import { getConcurrency, listTasks } from '../model/delegation.js';
import type { ChainState, PendingCall } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { computeChildShare, listOpenShares } from '../state/budget-tree.js';
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

/** A call that may run: its chains, none begun yet. What a person has sent to be done again is begun under another name. */
export function queueChildren(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null) return emit(before);
  const asked = listDelegatingCalls(before).filter(({ progress }) => progress === 'ready');
  return emit(asked.reduce((state, call) => replaceCall(state, queueCallChildren(state, agent, call)), before));
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

/** Those that may be begun now are asked for, each with a share. A chain that comes to its end begins no others. */
export function startQueuedChildren(state: ChainState): Advance {
  const { agent } = state;
  if (agent === null || listDelegatingCalls(state).length === 0) return emit(state);
  return emit(state.stop === null ? assignShares(state, agent) : dropQueuedChildren(state));
}

function assignShares(before: ChainState, agent: AgentSnapshot): ChainState {
  let state = before;
  let among = listDelegatingCalls(state).reduce((sum, { children }) => sum + children.filter(isQueued).length, 0);
  for (const { id } of listDelegatingCalls(before)) {
    for (;;) {
      const call = listDelegatingCalls(state).find((each) => each.id === id);
      const next = call?.children.find(isQueued);
      const delegation = call === undefined ? null : findDelegation(agent, call);
      if (call === undefined || next === undefined || delegation === null) break;
      if (call.children.filter(isUnderWay).length >= getConcurrency(delegation)) break;
      const share = computeChildShare(state, agent, delegation, among);
      if (share === null && listOpenShares(state).length > 0) break;
      among -= 1;
      const asked: Child =
        share === null
          ? { ...next, progress: 'failed', observation: validateChainCount(state, agent) ?? budgetTooSmallText }
          : { ...next, progress: 'ready', share };
      state = replaceChild(state, call, asked);
    }
  }
  return state;
}

const budgetTooSmallText =
  'Not begun: what is left of the budget is too little for another chain. Go on with what you have.';

function dropQueuedChildren(before: ChainState): ChainState {
  return listDelegatingCalls(before).reduce((state, call) => {
    const children = call.children.map((child) =>
      isQueued(child) || child.progress === 'ready' ? dropChild(child) : child,
    );
    const { judging, ...rest } = call;
    const kept = judging === undefined || judging === 'wanted' ? {} : { judging };
    return replaceCall(state, { ...rest, ...kept, children });
  }, before);
}

function dropChild(child: Child): Child {
  return { ...child, progress: 'failed', share: null, observation: 'Not begun: the chain ended first.' };
}

function isUnderWay(child: Child): boolean {
  return !hasEnded(child) && !isQueued(child);
}
