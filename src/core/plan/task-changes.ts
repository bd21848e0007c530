/**
 * Tasks begun, completed and failed, as a model says it. What it says wrongly changes nothing, and is answered with what
 * would be right.
 *
 * 1. A task is begun only when all that it waits for is completed.
 * 2. No more tasks are at work at once than the agent allows.
 */

import { shorten } from '../lib/display.js';
import type { Plan, Task } from '../model/plan.js';
import { changeTask, findTask, listActiveTasks, listAvailableTasks, listUnmetDependencies } from '../model/tasks.js';
import { maxTaskTextLength } from './normalize-tasks.js';

/** What came of it, as the model is told. */
export interface TaskChange {
  readonly ok: boolean;
  readonly text: string;
  /** The same one where nothing was changed. */
  readonly plan: Plan;
  /** The id of the task that it was said of; null where there is no such task, or it was not to be. */
  readonly task: string | null;
}

export function startTask(plan: Plan, id: string, parallel: number): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  const wrong = task.status === 'in_progress' ? null : findObstacle(plan, task);
  if (wrong !== null) return rejectChange(plan, wrong);
  if (task.status === 'in_progress') return acceptChange(plan, task, `${task.id} is at work: ${task.description}`);
  const busy = listActiveTasks(plan);
  if (busy.length >= parallel) {
    const most = parallel === 1 ? 'One task is' : `${parallel} tasks are`;
    return rejectChange(
      plan,
      `${most} worked on at a time, and ${joinIds(busy)} ${toIsOrAre(busy)} at work. Complete or fail that first.`,
    );
  }
  return acceptChange(setInProgress(plan, task), task, `${task.id} is at work: ${task.description}`);
}

/** @param id none for the task at work, where there is but one */
export function completeTask(plan: Plan, id: string, result: string): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  const wrong = task.status === 'in_progress' ? null : findObstacle(plan, task);
  if (wrong !== null) return rejectChange(plan, wrong);
  const begun = task.status === 'in_progress' ? plan : setInProgress(plan, task);
  const completed = { status: 'completed', result: shorten(result.trim(), maxTaskTextLength), error: null } as const;
  return acceptChange(changeTask(begun, task.id, completed), task, `${task.id} is completed.`);
}

export function failTask(plan: Plan, id: string, error: string): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  if (task.status === 'completed') return rejectChange(plan, `${task.id} is completed.`);
  if (task.status === 'failed') return rejectChange(plan, `${task.id} has failed already.`);
  if (task.status === 'blocked') return rejectChange(plan, `${renderBlockedTask(plan, task)} It need not be failed.`);
  const attempts = task.status === 'in_progress' ? task.attempts : task.attempts + 1;
  const why = shorten(error.trim(), maxTaskTextLength);
  const failed = changeTask(plan, task.id, { status: 'failed', error: why, attempts });
  return acceptChange(failed, task, `${task.id} has failed.`);
}

/** Invariants 1 and 2 are the caller's. */
export function setInProgress(plan: Plan, { id, attempts }: Task): Plan {
  return changeTask(plan, id, { status: 'in_progress', attempts: attempts + 1 });
}

function findObstacle(plan: Plan, task: Task): string | null {
  if (task.status === 'completed') return `${task.id} is completed. ${renderAvailableTasks(plan)}`;
  if (task.status === 'blocked') return `${renderBlockedTask(plan, task)} Revise the plan to go on without that.`;
  const first = listUnmetDependencies(plan, task);
  return first.length === 0 ? null : `${task.id} waits for ${joinIds(first)}. ${renderAvailableTasks(plan)}`;
}

function renderBlockedTask(plan: Plan, task: Task): string {
  return `${task.id} is blocked: it waits for ${joinIds(listUnmetDependencies(plan, task))}.`;
}

function findTargetTask(plan: Plan, id: string): Task | null {
  if (id !== '') return findTask(plan, id);
  const [only, ...others] = listActiveTasks(plan);
  return only !== undefined && others.length === 0 ? only : null;
}

function rejectUnknownTask(plan: Plan, id: string): TaskChange {
  const which = id === '' ? 'Say which task, by its id.' : `There is no task ${shorten(id, 60)}.`;
  return rejectChange(plan, `${which} ${renderAvailableTasks(plan)}`);
}

function renderAvailableTasks(plan: Plan): string {
  const [busy, free] = [listActiveTasks(plan), listAvailableTasks(plan)];
  if (busy.length > 0) return `At work: ${joinIds(busy)}.`;
  return free.length > 0 ? `Available: ${joinIds(free)}.` : 'No task is left to be begun.';
}

function joinIds(tasks: readonly Task[]): string {
  return tasks.map(({ id }) => id).join(', ');
}

function toIsOrAre(tasks: readonly Task[]): string {
  return tasks.length === 1 ? 'is' : 'are';
}

function acceptChange(plan: Plan, { id }: Task, text: string): TaskChange {
  return { ok: true, text, plan, task: id };
}

function rejectChange(plan: Plan, text: string): TaskChange {
  return { ok: false, text, plan, task: null };
}
