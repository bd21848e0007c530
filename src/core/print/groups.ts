/** A chain's items by step: the thought, each call with what was asked about it and its result, the answer, and what readers should know besides. */

import type { ReasoningView, StepView } from '../view/reasoning-view.js';

export interface CallGroup {
  /** Null where a filter left it out. */
  readonly call: StepView | null;
  /** What people were asked about it. */
  readonly requests: readonly StepView[];
  /** Null while it is not there, or where a filter left it out. */
  readonly result: StepView | null;
}

export interface StepGroup {
  /** 0 before the first. */
  readonly number: number;
  readonly thought: StepView | null;
  readonly calls: readonly CallGroup[];
  readonly answer: StepView | null;
  readonly notices: readonly StepView[];
}

export function groupSteps(steps: ReasoningView['steps']): readonly StepGroup[] {
  const byNumber = new Map<number, StepView[]>();
  for (const step of steps) {
    const known = byNumber.get(step.number);
    if (known === undefined) byNumber.set(step.number, [step]);
    else known.push(step);
  }
  return [...byNumber].map(([number, items]) => ({
    number,
    thought: items.find(({ kind }) => kind === 'thinking') ?? null,
    calls: groupCalls(items),
    answer: items.find(({ kind }) => kind === 'synthesis') ?? null,
    notices: items.filter(({ kind }) => kind === 'notice'),
  }));
}

/** The id of the call that a result or a request belongs to: hidden steps have no other link. */
export function toCallId({ id }: StepView): string {
  return id.replace(/(r|p\d+)$/, '');
}

function groupCalls(items: readonly StepView[]): readonly CallGroup[] {
  const groups = new Map<string, CallGroup>();
  for (const item of items) {
    const { kind } = item;
    if (kind !== 'tool_call' && kind !== 'approval' && kind !== 'tool_result') continue;
    const id = toCallId(item);
    const group = groups.get(id) ?? { call: null, requests: [], result: null };
    if (kind === 'tool_call') groups.set(id, { ...group, call: item });
    else if (kind === 'approval') groups.set(id, { ...group, requests: [...group.requests, item] });
    else groups.set(id, { ...group, result: item });
  }
  return [...groups.values()];
}
