/**
 * The progress of a plan's tasks: which of them can be worked on, and their lines for people.
 *
 * 1. A task is blocked exactly when it is neither begun nor ended, and waits for one that failed or is blocked.
 * 2. As long as tasks are open, at least one is at work or available: dependencies make no circle.
 */

import type { Plan, Task, TaskStatus } from './plan.js';

export function findTask(plan: Plan | undefined, id: string): Task | null {
  return plan?.tasks.find((task) => task.id === id) ?? null;
}

export function toIsOrAre({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are';
}

export function joinTaskIds(tasks: readonly Task[]): string {
  return tasks.map(({ id }) => id).join(', ');
}

export function listActiveTasks({ tasks }: Pick<Plan, 'tasks'>): readonly Task[] {
  return tasks.filter(({ status }) => status === 'in_progress');
}

/** Returns the tasks that can be started. */
export function listAvailableTasks(plan: Pick<Plan, 'tasks'>): readonly Task[] {
  return plan.tasks.filter((task) => task.status === 'pending' && listUnmetDependencies(plan, task).length === 0);
}

/** Returns the tasks that are not ended and not blocked. */
export function listOpenTasks({ tasks }: Pick<Plan, 'tasks'>): readonly Task[] {
  return tasks.filter(({ status }) => status === 'pending' || status === 'in_progress');
}

export function listTasksByStatus({ tasks }: Pick<Plan, 'tasks'>, ...statuses: readonly TaskStatus[]): readonly Task[] {
  return tasks.filter(({ status }) => statuses.includes(status));
}

/** Returns the dependencies of a task that are not completed. */
export function listUnmetDependencies({ tasks }: Pick<Plan, 'tasks'>, { dependsOn }: Task): readonly Task[] {
  return tasks.filter(({ id, status }) => status !== 'completed' && dependsOn.includes(id));
}

export function changeTask(plan: Plan, id: string, change: Partial<Task>): Plan {
  return { ...plan, tasks: updateBlocked(plan.tasks.map((task) => (task.id === id ? { ...task, ...change } : task))) };
}

/** Restores invariant 1 after a change. Unchanged tasks stay the same objects. */
export function updateBlocked(tasks: readonly Task[]): readonly Task[] {
  const doomed = new Set(tasks.filter(({ status }) => status === 'failed').map(({ id }) => id));
  const hasBegun = (task: Task) => task.status !== 'pending' && task.status !== 'blocked';
  for (let before = -1; before < doomed.size; ) {
    before = doomed.size;
    for (const task of tasks) if (!hasBegun(task) && task.dependsOn.some((id) => doomed.has(id))) doomed.add(task.id);
  }
  return tasks.map((task) => {
    const status = hasBegun(task) ? task.status : doomed.has(task.id) ? 'blocked' : 'pending';
    return status === task.status ? task : { ...task, status };
  });
}

/** A mark for each status, for people. */
export const statusMarks: { readonly [status in TaskStatus]: string } = {
  pending: '⋯',
  in_progress: '▶',
  completed: '✓',
  failed: '✗',
  blocked: '⊘',
};

/** Formats a task: `✓ reproduce: …`, with its complexity, its reason, and its dependencies while it waits for them. */
export function formatTask({ id, description, status, dependsOn, complexity, why }: Task): string {
  const waits = (status === 'pending' || status === 'blocked') && dependsOn.length > 0;
  const facts = [
    ...(complexity === undefined ? [] : [`${complexity} complexity`]),
    ...(waits ? [`after ${dependsOn.join(', ')}`] : []),
    ...(why === undefined ? [] : [`why: ${why}`]),
  ];
  return `${statusMarks[status]} ${id}: ${description}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** Formats the progress: `2 of 5 tasks completed`, with the number of failed and blocked ones. */
export function formatPlanProgress({ tasks, revision }: Pick<Plan, 'tasks' | 'revision'>): string {
  const countTasks = (status: TaskStatus) => tasks.filter((task) => task.status === status).length;
  const [failed, blocked] = [countTasks('failed'), countTasks('blocked')];
  return [
    `${countTasks('completed')} of ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} completed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(revision === 1 ? [] : [`revision ${revision}`]),
  ].join(', ');
}
