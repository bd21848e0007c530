/**
 * Which chains of the calls under way may be begun: as many as run at once, each with a part of what is left of the
 * budget. The others wait for their turn, or for what comes back.
 */

import type { AgentSnapshot } from '../model/agent.js';
import { type Child, isOver } from '../model/child.js';
import { atOnceOf, tasksOf } from '../model/delegation.js';
import type { PendingCall, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { heldIn, shareFor } from '../state/budget-tree.js';
import {
  type DelegatingCall,
  delegating,
  delegationOf,
  isQueued,
  newChild,
  nextAttempt,
  withChild,
} from '../state/children.js';
import { withCall } from '../state/step.js';
import { tooMany } from './blocked.js';

/** A call that may run: its chains, none begun yet. What a person has sent to be done again is begun under another name. */
export function enlistChildren(before: State): Advance {
  const { agent } = before;
  if (agent === null) return emit(before);
  const asked = delegating(before).filter(({ progress }) => progress === 'asked');
  return emit(asked.reduce((state, call) => withCall(state, enlisted(state, agent, call)), before));
}

function enlisted(state: State, agent: AgentSnapshot, call: DelegatingCall): PendingCall {
  const delegation = delegationOf(agent, call);
  if (delegation === null) return { ...call, progress: 'running' };
  if (call.children.length > 0) {
    const again = call.children.map((child) => (child.exists ? nextAttempt(child) : child));
    return { ...call, progress: 'running', children: again };
  }
  const tasks = tasksOf(delegation, call.input);
  const children = tasks.map((_, index): Child => newChild(state, call, index, delegation.spread.kind === 'one'));
  return { ...call, progress: 'running', children };
}

/** Those that may be begun now are asked for, each with a share. A chain that comes to its end begins no others. */
export function beginQueued(state: State): Advance {
  const { agent } = state;
  if (agent === null || delegating(state).length === 0) return emit(state);
  return emit(state.stop === null ? withShares(state, agent) : withoutQueued(state));
}

function withShares(before: State, agent: AgentSnapshot): State {
  let state = before;
  let among = delegating(state).reduce((sum, { children }) => sum + children.filter(isQueued).length, 0);
  for (const { id } of delegating(before)) {
    for (;;) {
      const call = delegating(state).find((each) => each.id === id);
      const next = call?.children.find(isQueued);
      const delegation = call === undefined ? null : delegationOf(agent, call);
      if (call === undefined || next === undefined || delegation === null) break;
      if (call.children.filter(isAtWork).length >= atOnceOf(delegation)) break;
      const share = shareFor(state, agent, delegation, among);
      if (share === null && heldIn(state).length > 0) break;
      among -= 1;
      const asked: Child =
        share === null
          ? { ...next, progress: 'failed', told: tooMany(state, agent) ?? tooLittle }
          : { ...next, progress: 'asked', share };
      state = withChild(state, call, asked);
    }
  }
  return state;
}

const tooLittle = 'Not begun: what is left of the budget is too little for another chain. Go on with what you have.';

function withoutQueued(before: State): State {
  return delegating(before).reduce((state, call) => {
    const children = call.children.map((child) =>
      isQueued(child) || child.progress === 'asked' ? drop(child) : child,
    );
    const { judging, ...rest } = call;
    const kept = judging === undefined || judging === 'wanted' ? {} : { judging };
    return withCall(state, { ...rest, ...kept, children });
  }, before);
}

function drop(child: Child): Child {
  return { ...child, progress: 'failed', share: null, told: 'Not begun: the chain ended first.' };
}

function isAtWork(child: Child): boolean {
  return !isOver(child) && !isQueued(child);
}
