/** What a call that delegates needs next: chains begun, the histories of silent ones read, answers scored. */

import type { ChainInput } from '../fact.js';
import type { Json } from '../json.js';
import type { State } from '../state.js';
import { childInput } from './child-input.js';
import { answerTokens } from './child-told.js';
import { delegating, delegationOf } from './children.js';
import { type Sees, tasksOf } from './delegation.js';

export interface ChildStart {
  readonly chainId: string;
  readonly input: ChainInput;
}

export interface ChildToRead {
  readonly chainId: string;
  readonly sees: Sees;
  /** Tokens of what it is read for: no more than a close would have carried. */
  readonly maxTokens: number;
}

/** An answer that is to be scored. */
export interface Candidate {
  readonly task: string;
  readonly answer: Json;
}

export type ChildrenAction =
  | { readonly type: 'startChildren'; readonly starts: readonly ChildStart[] }
  | { readonly type: 'readChildren'; readonly children: readonly ChildToRead[] }
  | {
      readonly type: 'score';
      readonly call: string;
      readonly tool: string;
      readonly candidates: readonly Candidate[];
    };

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
