/** A step as a branch of the tree: its thought, its calls with their results below them, its answer, and its notices. */

import { count, duration, unreportedText, usd } from '../../core/lib/display.js';
import { oneLine } from '../../core/lib/plain.js';
import { totalTokens } from '../../core/model/usage.js';
import type { Spoken } from '../../core/view/reasoning.js';
import type { ChildChain, StepView } from '../../core/view/reasoning-view.js';
import type { Branch } from './branch.js';
import { childBranches } from './child-branch.js';
import { type CallGroup, groupsOf, type StepGroup } from './groups.js';
import { isMarked, itemBranches, type Look, markOf } from './item-branch.js';

export function stepBranch(group: StepGroup, look: Look): Branch {
  const { thought, calls, answer, notices } = group;
  const items = [
    thought,
    ...calls.flatMap(({ call, requests, result }) => [call, ...requests, result]),
    answer,
    ...notices,
  ];
  const hidden = items.filter((item) => item?.level === 'hidden').length;
  const facts = [
    ...spokenFacts(thought, look.chain.model),
    ...spokenFacts(answer, look.chain.model),
    ...(calls.length > 1 ? [`${calls.length} calls in parallel`] : []),
    ...(hidden === 0 ? [] : [`${hidden} not shown`]),
  ];
  const mark = items.some((item) => item?.level === 'hidden' && isMarked(item, look)) ? markOf(look) : '';
  const head = stepHead(group.number, facts, look) + mark;
  return {
    lines: () => [head],
    under: [
      ...branchesOf(thought, look),
      ...calls.flatMap((call) => callBranches(call, look)),
      ...branchesOf(answer, look),
      ...notices.flatMap((notice) => branchesOf(notice, look)),
    ],
  };
}

export function stepHead(number: number, facts: readonly string[], { c }: Pick<Look, 'c'>): string {
  const title = number === 0 ? 'Before the first step' : `Step ${number}`;
  return c.bold(c.cyan(title)) + (facts.length > 0 ? c.dim(`  ${facts.join(' · ')}`) : '');
}

/** What the reply took: it stands with the thought, or, where nothing was thought, with the answer. */
export function spokenFacts(step: StepView | null, usual: string): readonly string[] {
  const spoken = spokenOf(step);
  if (spoken === null) return [];
  const { model, usage, charged, costUsd, durationMs, attempts } = spoken;
  return [
    ...(model.startsWith(usual) ? [] : [oneLine(model)]),
    duration(durationMs),
    charged === undefined ? `${count(totalTokens(usage))} tokens` : unreportedText(charged),
    ...(costUsd === null ? [] : [usd(costUsd)]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
}

function spokenOf(step: StepView | null): Spoken | null {
  if (step?.level !== 'full') return null;
  return step.kind === 'thinking' || step.kind === 'synthesis' ? step.spoken : null;
}

function branchesOf(step: StepView | null, look: Look): readonly Branch[] {
  return step === null ? [] : itemBranches(step, look);
}

function callBranches({ call, requests, result }: CallGroup, look: Look): readonly Branch[] {
  const asked = requests.flatMap((step) => itemBranches(step, look));
  const begun = call === null ? [] : childBranches(look.chain.children[call.id] ?? [], look.c, inside(look));
  const below = [...asked, ...begun, ...branchesOf(result, look)];
  const [first, ...more] = branchesOf(call, look);
  return first === undefined ? below : [{ ...first, under: below }, ...more];
}

/** A chain that was opened: its steps hang from its line as the chain's own hang from its head. */
function inside({ c }: Look): (child: ChildChain) => readonly Branch[] {
  return ({ chain }) => groupsOf(chain.steps).map((group) => stepBranch(group, { c, chain, failure: null }));
}
