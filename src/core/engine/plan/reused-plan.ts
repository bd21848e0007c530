/**
 * The plan of an earlier chain: added to a chain in place of the model's first reply, for readers with its origin; or first
 * shown to a person as a call of `make_plan` that waits for approval. If it is denied, the model makes a plan.
 */

import { type JsonObject, shorten, toOneLine } from '../../lib/index.js';
import type { RequestedCall, RequestRules, ReusedPlan } from '../../model/index.js';
import type { ControlTool } from '../state/control-tools.js';
import { createRequestRules } from '../state/request-rules.js';
import { addNotice, createFirstPlan, type DraftWithPlan, formatTasks, type PlanDraft } from './draft.js';
import { renderPlan } from './guide.js';

/** Characters of the earlier goal. */
export const maxShownGoal = 300;

/** Adds the plan; null without a readable task. */
export function addReusedPlan(draft: PlanDraft, reused: ReusedPlan): DraftWithPlan | null {
  const made = createFirstPlan(reused.tasks, 'reused');
  if (made === null) return null;
  const { plan, notes } = made;
  const noticed = addNotice(draft, `${describeOrigin(reused)} It is reused: ${formatTasks(plan.tasks)}.`);
  return { ...noticed, plan, notes: [...renderOrigin(reused), renderPlan(plan), ...notes] };
}

/** The call that a person decides. Its arguments show the whole plan. */
export function createReuseCall(reused: ReusedPlan): RequestedCall {
  const input = { ...reused } as unknown as JsonObject;
  return { useId: null, tool: 'make_plan' satisfies ControlTool, input, rejected: null };
}

export function createReuseRules(reused: ReusedPlan): RequestRules {
  return createRequestRules({ reason: `${describeOrigin(reused)} Reuse it?`, risk: 'low' });
}

/** For readers: where the plan is from, and how similar its goal is. */
function describeOrigin({ chainId, goal, similarity }: ReusedPlan): string {
  const origin = `A plan of chain ${toOneLine(chainId)} worked before`;
  return similarity >= 1
    ? `${origin}, for the same goal.`
    : `${origin}, for the goal ${quoteGoal(goal)} (similarity ${similarity}).`;
}

/** For the model: the plan may name what the earlier goal was about. */
function renderOrigin({ goal, similarity }: ReusedPlan): readonly string[] {
  if (similarity >= 1) return [];
  return [
    `The plan worked for a similar goal: ${quoteGoal(goal)}. Where your goal differs, call \`revise_plan\` first.`,
  ];
}

/** On one line and quoted: the goal is another chain's text. */
function quoteGoal(goal: string): string {
  return JSON.stringify(shorten(toOneLine(goal), maxShownGoal));
}
