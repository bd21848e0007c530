/** A plan in lines for people, wherever they read it. */

import type { Plan, Task, TaskStatus } from '../model/plan.js';

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
