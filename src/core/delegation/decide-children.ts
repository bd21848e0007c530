import type { ChildrenAction } from '../model/action.js';
import { tasksOf } from '../model/delegation.js';
import type { State } from '../model/state.js';
import { delegating, delegationOf } from '../state/children.js';
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
