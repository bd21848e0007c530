/** A plan as somebody may see it: as much as of the chain's thoughts. */

import type { Level } from '../agent.js';
import { shorten } from '../display.js';
import type { Mask } from '../mask.js';
import type { Plan, Task, TaskStatus } from './plan.js';

export interface PlanView extends Plan {
  /** At `summary` a task is its id, its status and the beginning of what it is; what it came to is left out. */
  readonly level: Exclude<Level, 'hidden'>;
}

/** Characters of a task in one line. */
const longestLine = 80;

/** Null where nothing of it is shown. */
export function planView(plan: Plan, level: Level, mask: Pick<Mask, 'text'>): PlanView | null {
  if (level === 'hidden') return null;
  return { ...plan, level, tasks: plan.tasks.map((task) => masked(level === 'full' ? task : inOneLine(task), mask)) };
}

function inOneLine(task: Task): Task {
  const [first = ''] = task.description.split('\n');
  return { ...task, description: shorten(first, longestLine), tools: [], confirm: [], result: null, error: null };
}

/** Ids are words of a model as well. */
function masked(task: Task, { text }: Pick<Mask, 'text'>): Task {
  return {
    ...task,
    id: text(task.id),
    description: text(task.description),
    dependsOn: task.dependsOn.map(text),
    result: task.result === null ? null : text(task.result),
    error: task.error === null ? null : text(task.error),
  };
}

/** How a task has come along, at a glance. */
export const statusMarks: { readonly [status in TaskStatus]: string } = {
  pending: '⋯',
  in_progress: '▶',
  completed: '✓',
  failed: '✗',
  blocked: '⊘',
};

/** `✓ reproduce: …`, with what it waits for where it does. */
export function taskLine({ id, description, status, dependsOn }: Task): string {
  const waits = (status === 'pending' || status === 'blocked') && dependsOn.length > 0;
  return `${statusMarks[status]} ${id}: ${description}${waits ? ` (after ${dependsOn.join(', ')})` : ''}`;
}

/** `2 of 5 tasks completed`, and how many failed or are blocked. */
export function planLine({ tasks, revision }: Pick<Plan, 'tasks' | 'revision'>): string {
  const of = (status: TaskStatus) => tasks.filter((task) => task.status === status).length;
  const [failed, blocked] = [of('failed'), of('blocked')];
  return [
    `${of('completed')} of ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} completed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(revision === 1 ? [] : [`revision ${revision}`]),
  ].join(', ');
}
