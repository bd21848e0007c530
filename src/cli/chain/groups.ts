/** A chain's items by step: the thought, each call with its result, the answer, and what readers should know besides. */

import type { ReasoningView, StepView } from '../../core/reasoning-view.js';

export interface CallGroup {
  /** Null where a filter left it out. */
  readonly call: StepView | null;
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

export function groupsOf(steps: ReasoningView['steps']): readonly StepGroup[] {
  const byNumber = new Map<number, StepView[]>();
  for (const step of steps) {
    const known = byNumber.get(step.number);
    if (known === undefined) byNumber.set(step.number, [step]);
    else known.push(step);
  }
  return [...byNumber].map(([number, items]) => ({
    number,
    thought: items.find(({ kind }) => kind === 'thinking') ?? null,
    calls: callsIn(items),
    answer: items.find(({ kind }) => kind === 'synthesis') ?? null,
    notices: items.filter(({ kind }) => kind === 'notice'),
  }));
}

/** A result's id is its call's with an `r`: hidden steps have no other link. */
function callsIn(items: readonly StepView[]): readonly CallGroup[] {
  const results = new Map(items.filter(({ kind }) => kind === 'tool_result').map((step) => [step.id, step]));
  const calls = items.filter(({ kind }) => kind === 'tool_call');
  const paired = calls.map((call) => ({ call, result: results.get(`${call.id}r`) ?? null }));
  const known = new Set(paired.flatMap(({ result }) => result ?? []));
  const alone = [...results.values()].filter((result) => !known.has(result));
  return [...paired, ...alone.map((result) => ({ call: null, result }))];
}
