/**
 * Starts, completes and fails tasks for the model. An invalid change leaves the plan as it is and returns a correction.
 *
 * 1. A task starts only when all its dependencies are completed.
 * 2. At most `parallel` tasks are in progress at the same time.
 */

import { shorten } from '../../lib/index.js';
import {
  changeTask,
  findTask,
  joinTaskIds,
  listActiveTasks,
  listAvailableTasks,
  listUnmetDependencies,
  type Plan,
  type Task,
  toIsOrAre,
} from '../../model/index.js';
import { maxTaskTextLength } from './normalize-tasks.js';

export interface TaskChange {
  readonly ok: boolean;
  /** The observation. */
  readonly text: string;
  /** The same object if nothing changed. */
  readonly plan: Plan;
  /** The id of the changed task; null if the change was rejected. */
  readonly task: string | null;
}

export function startTask(plan: Plan, id: string, parallel: number): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  const problem = task.status === 'in_progress' ? null : findObstacle(plan, task);
  if (problem !== null) return rejectChange(plan, problem);
  if (task.status === 'in_progress') return acceptChange(plan, task, `${task.id} is in progress: ${task.description}`);
  const busy = listActiveTasks(plan);
  if (busy.length >= parallel) {
    const max = parallel === 1 ? '1 task' : `${parallel} tasks`;
    return rejectChange(
      plan,
      `At most ${max} can be in progress: ${joinTaskIds(busy)} ${toIsOrAre(busy)}. Complete or fail a task first.`,
    );
  }
  return acceptChange(setInProgress(plan, task), task, `${task.id} is in progress: ${task.description}`);
}

/** @param id empty for the only task in progress */
export function completeTask(plan: Plan, id: string, result: string): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  const problem = task.status === 'in_progress' ? null : findObstacle(plan, task);
  if (problem !== null) return rejectChange(plan, problem);
  const current = task.status === 'in_progress' ? plan : setInProgress(plan, task);
  const completed = { status: 'completed', result: shorten(result.trim(), maxTaskTextLength), error: null } as const;
  return acceptChange(changeTask(current, task.id, completed), task, `${task.id} is completed.`);
}

export function failTask(plan: Plan, id: string, error: string): TaskChange {
  const task = findTargetTask(plan, id);
  if (task === null) return rejectUnknownTask(plan, id);
  if (task.status === 'completed') return rejectChange(plan, `${task.id} is completed.`);
  if (task.status === 'failed') return rejectChange(plan, `${task.id} has already failed.`);
  if (task.status === 'blocked') return rejectChange(plan, `${renderBlockedTask(plan, task)} Do not fail it.`);
  const attempts = task.status === 'in_progress' ? task.attempts : task.attempts + 1;
  const why = shorten(error.trim(), maxTaskTextLength);
  const failed = changeTask(plan, task.id, { status: 'failed', error: why, attempts });
  return acceptChange(failed, task, `${task.id} has failed.`);
}

/** Marks a task as in progress. The caller ensures invariants 1 and 2. */
export function setInProgress(plan: Plan, { id, attempts }: Task): Plan {
  return changeTask(plan, id, { status: 'in_progress', attempts: attempts + 1 });
}

function findObstacle(plan: Plan, task: Task): string | null {
  if (task.status === 'completed') return `${task.id} is completed. ${renderAvailableTasks(plan)}`;
  if (task.status === 'blocked') return `${renderBlockedTask(plan, task)} Revise the plan to continue without it.`;
  const first = listUnmetDependencies(plan, task);
  return first.length === 0 ? null : `${task.id} depends on ${joinTaskIds(first)}. ${renderAvailableTasks(plan)}`;
}

function renderBlockedTask(plan: Plan, task: Task): string {
  return `${task.id} is blocked: it depends on ${joinTaskIds(listUnmetDependencies(plan, task))}.`;
}

function findTargetTask(plan: Plan, id: string): Task | null {
  if (id !== '') return findTask(plan, id);
  const [only, ...others] = listActiveTasks(plan);
  return only !== undefined && others.length === 0 ? only : null;
}

function rejectUnknownTask(plan: Plan, id: string): TaskChange {
  const which = id === '' ? 'Name the task by its id.' : `Task ${shorten(id, 60)} not found.`;
  return rejectChange(plan, `${which} ${renderAvailableTasks(plan)}`);
}

function renderAvailableTasks(plan: Plan): string {
  const [busy, free] = [listActiveTasks(plan), listAvailableTasks(plan)];
  if (busy.length > 0) return `In progress: ${joinTaskIds(busy)}.`;
  return free.length > 0 ? `Available: ${joinTaskIds(free)}.` : 'No task is available.';
}

function acceptChange(plan: Plan, { id }: Task, text: string): TaskChange {
  return { ok: true, text, plan, task: id };
}

function rejectChange(plan: Plan, text: string): TaskChange {
  return { ok: false, text, plan, task: null };
}
