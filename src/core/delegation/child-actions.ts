/** What delegating calls need next: chains to start, to read, answers to score. And the state once that has been begun. */

import type { ChildrenAction } from '../model/action.js';
import type { Child } from '../model/child.js';
import { tasksOf } from '../model/delegation.js';
import type { State } from '../model/state.js';
import { delegating, delegationOf } from '../state/children.js';
import { withCall } from '../state/settle-call.js';
import { workedMs } from '../state/working-time.js';
import { childInput } from './child-input.js';
import { answerTokens } from './child-told.js';

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
