/**
 * Calls of control tools: what each does to the plan, and what the model is answered. `finish` is for the whole reply: while
 * tasks are open it is refused with their names, unless the model says why they are left.
 */

import { shorten } from '../lib/display.js';
import { findOwn, isObject, type Json, type JsonObject, toValueText } from '../lib/json.js';
import type { Plan, Task } from '../model/plan.js';
import type { RequestedCall } from '../model/reading.js';
import { listOpenTasks } from '../model/tasks.js';
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
import { completeTask, failTask, startTask, type TaskChange } from './task-changes.js';

interface ControlResult {
  readonly draft: PlanDraft;
  readonly ok: boolean;
  /** As the model is answered. */
  readonly text: string;
}

/** `finish` is for the whole reply, and not taken here. */
export function applyControlCall(before: PlanDraft, tool: Exclude<ControlTool, 'finish'>, given: Json): ControlResult {
  const input: JsonObject = isObject(given) ? given : {};
  if (tool === 'make_plan' && before.plan === null) return applyFirstPlan(before, findOwn(input, 'tasks'));
  const draft = ensurePlan(before);
  const { plan, options } = draft;
  const id = getTextArgument(input, 'id');
  switch (tool) {
    case 'make_plan':
      return applyRevision(draft, findOwn(input, 'tasks'), 'a new plan was made');
    case 'revise_plan':
      return applyRevision(draft, findOwn(input, 'tasks'), getTextArgument(input, 'reason') || 'no reason was given');
    case 'start_task': {
      const told = startTask(plan, id, options.parallel);
      return toControlResult({ ...draft, lastNamedTask: told.task ?? draft.lastNamedTask }, told);
    }
    case 'complete_task':
      return toControlResult(draft, completeTask(plan, id, getTextArgument(input, 'result')));
    case 'fail_task': {
      const told = failTask(
        plan,
        id,
        getTextArgument(input, 'error') || getTextArgument(input, 'reason') || 'no reason was given',
      );
      return toControlResult(
        { ...draft, failed: told.task === null ? draft.failed : [...draft.failed, told.task] },
        told,
      );
    }
  }
}

/** The first plan, wherever its tasks come from; null where there are none. */
export function addFirstPlan(
  draft: PlanDraft,
  tasks: unknown,
  source: Plan['source'],
): { readonly draft: DraftWithPlan; readonly notes: readonly string[] } | null {
  const made = createFirstPlan(tasks, source);
  if (made === null) return null;
  const title = source === 'reused' ? 'A plan that worked before' : 'The plan';
  const told = addNotice(draft, `${title}: ${formatTasks(made.plan.tasks)}.`);
  return { draft: { ...told, plan: made.plan }, notes: made.notes };
}

export function getTextArgument(input: Json, name: string): string {
  return isObject(input) ? toValueText(findOwn(input, name) ?? '').trim() : '';
}

function applyFirstPlan(draft: PlanDraft, tasks: Json | undefined): ControlResult {
  const made = addFirstPlan(draft, tasks, 'model');
  if (made !== null) return { draft: made.draft, ok: true, text: ['The plan is made.', ...made.notes].join(' ') };
  const text = 'No task could be read in it: the goal is the one task now. Revise the plan if it takes more.';
  return { draft: ensurePlan(draft), ok: false, text };
}

function applyRevision(draft: DraftWithPlan, tasks: Json | undefined, reason: string): ControlResult {
  const revised = revisePlan(draft.plan, tasks ?? []);
  if (revised === null) return { draft, ok: false, text: 'A plan has one task at least. It is left as it was.' };
  const { plan, notes } = revised;
  const left = listOpenTasks(plan);
  const todo = left.length === 0 ? 'Nothing is left to do' : `To do: ${formatTasks(left)}`;
  const why = shorten(reason, 300).replace(/\.$/, '');
  const told = addNotice(
    { ...draft, plan, lastNamedTask: null },
    `The plan was revised (${plan.revision}): ${why}. ${todo}.`,
  );
  return { draft: told, ok: true, text: ['The plan is revised.', ...notes].join(' ') };
}

function toControlResult(draft: DraftWithPlan, { plan, ok, text }: TaskChange): ControlResult {
  return { draft: { ...draft, plan }, ok, text };
}

/** The call that ends the chain, once all else in the reply has been taken; null where none does. */
export function findAcceptedFinish(draft: PlanDraft, calls: readonly RequestedCall[]): RequestedCall | null {
  const left = listUnfinishedTasks(draft);
  return (
    calls.find(
      (call) => isFinishCall(call) && (left.length === 0 || getTextArgument(call.input, 'unfinished') !== ''),
    ) ?? null
  );
}

export function applyFinish(draft: PlanDraft, { input }: RequestedCall): PlanDraft {
  const left = listUnfinishedTasks(draft);
  if (left.length === 0) return draft;
  const why = shorten(getTextArgument(input, 'unfinished'), 300).replace(/\.$/, '');
  return addNotice(draft, `Left undone, ${formatTasks(left)}: ${why}.`);
}

export function renderFinishRefusal(draft: PlanDraft): string {
  const left = listUnfinishedTasks(draft);
  const ids = left.map(({ id }) => id).join(', ');
  return `Not finished: ${ids} ${left.length === 1 ? 'is' : 'are'} left. Complete or fail what is left, or call \`finish\` once more with \`unfinished\`: why it is not done.`;
}

export function getFinishResult(input: Json): Json {
  return isObject(input) ? (findOwn(input, 'result') ?? '') : input;
}

export function isFinishCall({ tool, rejected }: RequestedCall): boolean {
  return findControlTool(tool) === 'finish' && rejected === null;
}

function listUnfinishedTasks({ plan }: PlanDraft): readonly Task[] {
  return plan === null ? [] : listOpenTasks(plan);
}
