/** A chain's steps as a tree of lines: the thought, the calls with their results under them, the answer, the notices. */

import type { ReasoningView, StepView } from '../view/reasoning-view.js';
import { childBranches } from './child-lines.js';
import { type CallGroup, groupsOf, type StepGroup } from './groups.js';
import { itemLines, spokenFacts } from './item-lines.js';
import { type Branch, type Fact, type Line, leaf, lineOf, signed } from './line.js';

/** The item at which a chain went wrong, and in words that it did. */
export interface Mark {
  readonly id: string;
  readonly words: string;
}

type Shown = Pick<ReasoningView, 'model' | 'steps' | 'children'>;

/** @param steps those that are printed; default all */
export function stepBranches(
  chain: Shown,
  steps: readonly StepView[] = chain.steps,
  mark: Mark | null = null,
): readonly Branch[] {
  return groupsOf(steps).map((group) => stepBranch(group, chain, mark));
}

function stepBranch(group: StepGroup, chain: Shown, mark: Mark | null): Branch {
  const { thought, calls, answer, notices } = group;
  const items = [
    thought,
    ...calls.flatMap(({ call, requests, result }) => [call, ...requests, result]),
    answer,
    ...notices,
  ];
  const hidden = items.filter((item) => item?.level === 'hidden');
  const facts = [
    ...replyFacts(thought, chain.model),
    ...replyFacts(answer, chain.model),
    ...(calls.length > 1 ? [`${calls.length} calls in parallel`] : []),
    ...(hidden.length === 0 ? [] : [`${hidden.length} not shown`]),
  ];
  // Of an item that is hidden only the step has a line.
  const marked = hidden.some((item) => item?.id === mark?.id) ? { mark: mark?.words ?? null } : {};
  return {
    line: { ...stepLine(group.number, facts), ...marked },
    under: [
      ...leaves(thought, chain, mark),
      ...calls.flatMap((call) => callBranches(call, chain, mark)),
      ...leaves(answer, chain, mark),
      ...notices.flatMap((notice) => leaves(notice, chain, mark)),
    ],
  };
}

export function stepLine(number: number, facts: readonly Fact[]): Line {
  const title = number === 0 ? 'Before the first step' : `Step ${number}`;
  return lineOf(signed('step', title, 'heading'), { facts });
}

/** What the reply took: it is on the thought, or, without a thought, on the answer. */
export function replyFacts(step: StepView | null, usual: string): readonly Fact[] {
  if (step?.level !== 'full' || (step.kind !== 'thinking' && step.kind !== 'synthesis')) return [];
  return step.spoken === null ? [] : spokenFacts(step.spoken, 'short', usual);
}

/** An item as it is printed within its chain: a result names the attempts of its call. */
export function linesIn({ steps }: Pick<Shown, 'steps'>, step: StepView): readonly Line[] {
  const correlated = step.level === 'full' && step.kind === 'tool_result' ? step.correlationId : null;
  const call = correlated === null ? undefined : steps.find(({ id }) => id === correlated);
  const attempts = call?.level === 'full' && call.kind === 'tool_call' ? call.attempts : null;
  return itemLines(step, 'short', attempts);
}

function leaves(step: StepView | null, chain: Shown, mark: Mark | null): readonly Branch[] {
  if (step === null) return [];
  const lines = linesIn(chain, step);
  const words = step.id === mark?.id ? mark.words : null;
  return lines.map((line, at) => leaf(at === lines.length - 1 ? { ...line, mark: words } : line));
}

function callBranches({ call, requests, result }: CallGroup, chain: Shown, mark: Mark | null): readonly Branch[] {
  const below = [
    ...requests.flatMap((step) => leaves(step, chain, mark)),
    ...(call === null ? [] : childBranches(chain.children[call.id] ?? [], (child) => stepBranches(child.chain))),
    ...leaves(result, chain, mark),
  ];
  const [first, ...more] = leaves(call, chain, mark);
  return first === undefined ? below : [{ ...first, under: below }, ...more];
}
