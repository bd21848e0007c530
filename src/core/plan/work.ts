/**
 * Tasks begun, completed and failed, as a model says it. What it says wrongly changes nothing, and is answered with what
 * would be right.
 *
 * 1. A task is begun only when all that it waits for is completed.
 * 2. No more tasks are at work at once than the agent allows.
 */

import { shorten } from '../lib/display.js';
import type { Plan, Task } from '../model/plan.js';
import { atWork, available, changeTask, taskOf, waitsFor } from '../model/tasks.js';
import { longestText } from './fit-tasks.js';

/** What came of it, as the model is told. */
export interface Told {
  readonly ok: boolean;
  readonly text: string;
  /** The same one where nothing was changed. */
  readonly plan: Plan;
  /** The id of the task that it was said of; null where there is no such task, or it was not to be. */
  readonly task: string | null;
}

export function startTask(plan: Plan, id: string, parallel: number): Told {
  const task = find(plan, id);
  if (task === null) return noSuchTask(plan, id);
  const wrong = task.status === 'in_progress' ? null : whyNotNow(plan, task);
  if (wrong !== null) return refused(plan, wrong);
  if (task.status === 'in_progress') return done(plan, task, `${task.id} is at work: ${task.description}`);
  const busy = atWork(plan);
  if (busy.length >= parallel) {
    const most = parallel === 1 ? 'One task is' : `${parallel} tasks are`;
    return refused(
      plan,
      `${most} worked on at a time, and ${ids(busy)} ${be(busy)} at work. Complete or fail that first.`,
    );
  }
  return done(begin(plan, task), task, `${task.id} is at work: ${task.description}`);
}

/** @param id none for the task at work, where there is but one */
export function completeTask(plan: Plan, id: string, result: string): Told {
  const task = find(plan, id);
  if (task === null) return noSuchTask(plan, id);
  const wrong = task.status === 'in_progress' ? null : whyNotNow(plan, task);
  if (wrong !== null) return refused(plan, wrong);
  const begun = task.status === 'in_progress' ? plan : begin(plan, task);
  const completed = { status: 'completed', result: shorten(result.trim(), longestText), error: null } as const;
  return done(changeTask(begun, task.id, completed), task, `${task.id} is completed.`);
}

export function failTask(plan: Plan, id: string, error: string): Told {
  const task = find(plan, id);
  if (task === null) return noSuchTask(plan, id);
  if (task.status === 'completed') return refused(plan, `${task.id} is completed.`);
  if (task.status === 'failed') return refused(plan, `${task.id} has failed already.`);
  if (task.status === 'blocked') return refused(plan, `${blocked(plan, task)} It need not be failed.`);
  const attempts = task.status === 'in_progress' ? task.attempts : task.attempts + 1;
  const why = shorten(error.trim(), longestText);
  const failed = changeTask(plan, task.id, { status: 'failed', error: why, attempts });
  return done(failed, task, `${task.id} has failed.`);
}

/** Invariants 1 and 2 are the caller's. */
export function begin(plan: Plan, { id, attempts }: Task): Plan {
  return changeTask(plan, id, { status: 'in_progress', attempts: attempts + 1 });
}

function whyNotNow(plan: Plan, task: Task): string | null {
  if (task.status === 'completed') return `${task.id} is completed. ${availableText(plan)}`;
  if (task.status === 'blocked') return `${blocked(plan, task)} Revise the plan to go on without that.`;
  const first = waitsFor(plan, task);
  return first.length === 0 ? null : `${task.id} waits for ${ids(first)}. ${availableText(plan)}`;
}

function blocked(plan: Plan, task: Task): string {
  return `${task.id} is blocked: it waits for ${ids(waitsFor(plan, task))}.`;
}

function find(plan: Plan, id: string): Task | null {
  if (id !== '') return taskOf(plan, id);
  const [only, ...others] = atWork(plan);
  return only !== undefined && others.length === 0 ? only : null;
}

function noSuchTask(plan: Plan, id: string): Told {
  const which = id === '' ? 'Say which task, by its id.' : `There is no task ${shorten(id, 60)}.`;
  return refused(plan, `${which} ${availableText(plan)}`);
}

function availableText(plan: Plan): string {
  const [busy, free] = [atWork(plan), available(plan)];
  if (busy.length > 0) return `At work: ${ids(busy)}.`;
  return free.length > 0 ? `Available: ${ids(free)}.` : 'No task is left to be begun.';
}

function ids(tasks: readonly Task[]): string {
  return tasks.map(({ id }) => id).join(', ');
}

function be(tasks: readonly Task[]): string {
  return tasks.length === 1 ? 'is' : 'are';
}

function done(plan: Plan, { id }: Task, text: string): Told {
  return { ok: true, text, plan, task: id };
}

function refused(plan: Plan, text: string): Told {
  return { ok: false, text, plan, task: null };
}
