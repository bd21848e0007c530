/** Finds the first step in which two chains differ. */

import { type Json, toCanonicalJson } from '../../core/lib/index.js';
import { groupSteps, type ReasoningView, type StepGroup, type StepView } from '../../core/view/index.js';

export interface ChainDifference {
  readonly step: number;
  readonly what: 'thought' | 'calls' | 'decisions' | 'results' | 'answer' | 'end';
  readonly a: Json;
  readonly b: Json;
}

export interface ChainComparison {
  readonly equal: boolean;
  readonly firstDifference: ChainDifference | null;
  readonly stepsA: number;
  readonly stepsB: number;
}

export function compareChains(a: ReasoningView, b: ReasoningView): ChainComparison {
  const left = groupSteps(a.steps).filter(({ number }) => number > 0);
  const right = groupSteps(b.steps).filter(({ number }) => number > 0);
  const firstDifference = findStepDifference(left, right) ?? findEndDifference(a, b, left.length);
  return { equal: firstDifference === null, firstDifference, stepsA: left.length, stepsB: right.length };
}

function findStepDifference(left: readonly StepGroup[], right: readonly StepGroup[]): ChainDifference | null {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    for (const what of ['thought', 'calls', 'decisions', 'results', 'answer'] as const) {
      const [a, b] = [getStepPart(left[at], what), getStepPart(right[at], what)];
      if (toCanonicalJson(a) !== toCanonicalJson(b)) return { step: at + 1, what, a, b };
    }
    if (left[at] === undefined || right[at] === undefined) {
      return {
        step: at + 1,
        what: 'end',
        a: left[at] ? 'continues' : 'has ended',
        b: right[at] ? 'continues' : 'has ended',
      };
    }
  }
  return null;
}

/** Equal steps may have different outcomes: a limit, a cancel. */
function findEndDifference(a: ReasoningView, b: ReasoningView, step: number): ChainDifference | null {
  if (a.outcome === b.outcome) return null;
  return { step, what: 'end', a: a.outcome ?? 'runs', b: b.outcome ?? 'runs' };
}

function getStepPart(group: StepGroup | undefined, what: Exclude<ChainDifference['what'], 'end'>): Json {
  if (group === undefined) return null;
  switch (what) {
    case 'thought':
      return getItemContent(group.thought);
    case 'calls':
      return group.calls.map(({ call }) => getItemContent(call));
    case 'decisions':
      return group.calls.map(({ requests }) => requests.map(getItemContent));
    case 'results':
      return group.calls.map(({ result }) => getItemContent(result));
    case 'answer':
      return getItemContent(group.answer);
  }
}

/** The content of a step without times and cost, which always differ. */
function getItemContent(step: StepView | null): Json {
  if (step === null || step.level === 'hidden') return null;
  if (step.level === 'summary') return step.summary;
  switch (step.kind) {
    case 'thinking':
      return step.problem === null ? step.thought : { thought: step.thought, problem: step.problem };
    case 'tool_call':
      return { tool: step.tool, input: step.changedFrom ?? step.input };
    case 'approval':
      return { request: step.request, status: step.status, changedInput: step.changedInput ?? null };
    case 'tool_result':
      return { status: step.status, observation: step.observation };
    case 'synthesis':
      return step.conclusion;
    case 'notice':
      return step.text;
  }
}
