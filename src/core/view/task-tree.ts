/** A plan as a tree for readers: each task below the task that it waits for, and how much of the plan is done. */

import { formatPlanProgress, formatTask, listTasksByStatus, type Plan, type Task } from '../model/index.js';

/** Levels of indentation: a deeper task is at the last one. */
const maxTaskDepth = 5;

export interface PlacedTask {
  readonly task: Task;
  /** 0 for a task that waits for no other. */
  readonly depth: number;
  /** The task with the dependencies that the tree does not show. */
  readonly text: string;
}

/** Returns all tasks, each after the last of its dependencies, in the order of the plan otherwise. */
export function placeTasks({ tasks }: Pick<Plan, 'tasks'>): readonly PlacedTask[] {
  const below = new Map<Task | null, Task[]>();
  for (const task of tasks) {
    const parent = tasks.findLast((other) => other !== task && task.dependsOn.includes(other.id)) ?? null;
    below.set(parent, [...(below.get(parent) ?? []), task]);
  }
  const placed = new Map<Task, PlacedTask>();
  const place = (task: Task, depth: number, parent: Task | null) => {
    if (placed.has(task)) return;
    placed.set(task, { task, depth: Math.min(depth, maxTaskDepth), text: describeTask(task, parent) });
    for (const next of below.get(task) ?? []) place(next, depth + 1, task);
  };
  for (const task of below.get(null) ?? []) place(task, 0, null);
  // Masked ids can be equal, so that a task seems to wait for itself.
  for (const task of tasks) place(task, 0, null);
  return [...placed.values()];
}

/** A task that waits lists all its dependencies already. */
function describeTask(task: Task, parent: Task | null): string {
  const others = task.dependsOn.filter((id) => id !== parent?.id);
  const isWaiting = task.status === 'pending' || task.status === 'blocked';
  return `${formatTask(task)}${isWaiting || others.length === 0 ? '' : ` (after ${others.join(', ')})`}`;
}

/** Before a task at a depth. */
export function formatTaskIndent(depth: number): string {
  return depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `;
}

/** The tasks as a nested list in Markdown. */
export function formatTaskList(plan: Pick<Plan, 'tasks'>, format: (text: string) => string): string {
  return placeTasks(plan)
    .map(({ depth, text }) => `${'  '.repeat(depth)}- ${format(text)}`)
    .join('\n');
}

/** Returns how much of a plan is completed, from 0 to 100. */
export function computePlanPercent({ tasks }: Pick<Plan, 'tasks'>): number {
  const done = listTasksByStatus({ tasks }, 'completed').length;
  return tasks.length === 0 ? 0 : Math.floor((100 * done) / tasks.length);
}

/** `40 %, 2 of 5 tasks completed`, with the number of failed and blocked ones. */
export function formatPlanShare(plan: Pick<Plan, 'tasks' | 'revision'>): string {
  return `${computePlanPercent(plan)} %, ${formatPlanProgress(plan)}`;
}
