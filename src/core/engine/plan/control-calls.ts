/**
 * Applies calls of control tools to the plan and renders their observations. `finish` ends the whole reply: while tasks
 * are open it is rejected with their ids, unless it gives a `reason`.
 */

import { findOwn, isObject, type Json, type JsonObject, shorten, toValueText } from '../../lib/index.js';
import { listOpenTasks, maxLearnings, type RequestedCall, type Task } from '../../model/index.js';
import { type ControlTool, findControlTool } from '../state/control-tools.js';
import {
  addNotice,
  createFirstPlan,
  type DraftWithPlan,
  ensurePlan,
  formatTasks,
  type PlanDraft,
  revisePlan,
} from './draft.js';
import { readReview } from './review.js';
import { completeTask, failTask, startTask, type TaskChange } from './task-changes.js';

interface ControlResult {
  readonly draft: PlanDraft;
  readonly ok: boolean;
  /** The observation. */
  readonly text: string;
}

/** Applies one control call. `finish` concerns the whole reply: see `applyFinish`. */
export function applyControlCall(
  before: PlanDraft,
  tool: Exclude<ControlTool, 'finish'>,
  callInput: Json,
): ControlResult {
  const input: JsonObject = isObject(callInput) ? callInput : {};
  if (tool === 'make_plan' && before.plan === null) return applyFirstPlan(before, findOwn(input, 'tasks'));
  const draft = ensurePlan(before);
  const { plan, options } = draft;
  const id = getTextArgument(input, 'id');
  switch (tool) {
    case 'make_plan':
      return applyRevision(draft, findOwn(input, 'tasks'), 'the model made a new plan');
    case 'revise_plan':
      return applyRevision(draft, findOwn(input, 'tasks'), getTextArgument(input, 'reason') || 'no reason given');
    case 'review_plan':
      return applyReview(draft, input);
    case 'start_task': {
      const change = startTask(plan, id, options.parallel);
      return toControlResult({ ...draft, lastNamedTask: change.task ?? draft.lastNamedTask }, change);
    }
    case 'complete_task':
      return toControlResult(draft, completeTask(plan, id, getTextArgument(input, 'result')));
    case 'fail_task': {
      const change = failTask(
        plan,
        id,
        getTextArgument(input, 'error') || getTextArgument(input, 'reason') || 'no reason given',
      );
      return toControlResult(
        { ...draft, failed: change.task === null ? draft.failed : [...draft.failed, change.task] },
        change,
      );
    }
  }
}

function getTextArgument(input: Json, name: string): string {
  return isObject(input) ? toValueText(findOwn(input, name) ?? '').trim() : '';
}

function applyFirstPlan(draft: PlanDraft, tasks: Json | undefined): ControlResult {
  const made = createFirstPlan(tasks, 'model');
  if (made !== null) {
    const noticed = addNotice(draft, `The plan: ${formatTasks(made.plan.tasks)}.`);
    return { draft: { ...noticed, plan: made.plan }, ok: true, text: ['Plan created.', ...made.notes].join(' ') };
  }
  const text = 'No readable task: the plan is now the goal as its only task. Call `revise_plan` to add tasks.';
  return { draft: ensurePlan(draft), ok: false, text };
}

function applyRevision(draft: DraftWithPlan, tasks: Json | undefined, reason: string): ControlResult {
  const revised = revisePlan(draft.plan, tasks ?? []);
  if (revised === null) return { draft, ok: false, text: 'Plan unchanged: a plan needs at least one task.' };
  const { plan, notes } = revised;
  const left = listOpenTasks(plan);
  const todo = left.length === 0 ? 'No task is left' : `To do: ${formatTasks(left)}`;
  const why = shorten(reason, 300).replace(/\.$/, '');
  const noticed = addNotice(
    { ...draft, plan, lastNamedTask: null },
    `The plan was revised (${plan.revision}): ${why}. ${todo}.`,
  );
  return { draft: noticed, ok: true, text: ['Plan revised.', ...notes].join(' ') };
}

function applyReview(before: DraftWithPlan, input: JsonObject): ControlResult {
  const { learned, assessment } = readReview(input);
  if (learned.length === 0 && assessment === null)
    return { draft: before, ok: false, text: 'Nothing recorded: state what you learned, or your assessment.' };
  const noted = before.notices.filter(({ code }) => code === 'learned').length;
  const withLearnings = learned
    .slice(0, Math.max(0, maxLearnings - noted))
    .reduce((draft, text) => addNotice(draft, text, 'learned'), before);
  const draft = assessment === null ? withLearnings : addNotice(withLearnings, assessment, 'plan_assessed');
  return { draft, ok: true, text: 'Recorded.' };
}

function toControlResult(draft: DraftWithPlan, { plan, ok, text }: TaskChange): ControlResult {
  return { draft: { ...draft, plan }, ok, text };
}

/** Returns the `finish` call that ends the chain, or null. Apply all other calls of the reply first. */
export function findAcceptedFinish(draft: PlanDraft, calls: readonly RequestedCall[]): RequestedCall | null {
  const left = listUnfinishedTasks(draft);
  return (
    calls.find((call) => isFinishCall(call) && (left.length === 0 || getTextArgument(call.input, 'reason') !== '')) ??
    null
  );
}

export function applyFinish(draft: PlanDraft, { input }: RequestedCall): PlanDraft {
  const left = listUnfinishedTasks(draft);
  if (left.length === 0) return draft;
  const why = shorten(getTextArgument(input, 'reason'), 300).replace(/\.$/, '');
  return addNotice(draft, `Unfinished, ${formatTasks(left)}: ${why}.`);
}

export function renderFinishRejection(draft: PlanDraft): string {
  const left = listUnfinishedTasks(draft);
  const ids = left.map(({ id }) => id).join(', ');
  return `Not finished: ${ids} ${left.length === 1 ? 'is' : 'are'} still open. Complete or fail each open task, or call \`finish\` again with a \`reason\`.`;
}

export function isFinishCall({ tool, rejected }: RequestedCall): boolean {
  return findControlTool(tool) === 'finish' && rejected === null;
}

function listUnfinishedTasks({ plan }: PlanDraft): readonly Task[] {
  return plan === null ? [] : listOpenTasks(plan);
}
