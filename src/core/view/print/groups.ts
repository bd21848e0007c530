/** Groups a chain's items by step: thought, calls with their requests and results, answer, notices. */

import type { ReasoningView, StepView } from '../reasoning-view.js';

export interface CallGroup {
  /** Null if a filter left it out. */
  readonly call: StepView | null;
  /** Requests to people about the call. */
  readonly requests: readonly StepView[];
  /** Null while the call is open, or if a filter left it out. */
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

/** Returns the id of the call of a result or a request: hidden steps have no other link. */
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
