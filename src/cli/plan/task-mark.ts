/** How the states of a task are marked, wherever a plan is shown in a terminal. */

import type { Task, TaskStatus } from '../../core/plan/plan.js';
import type { Colors } from '../chain/colors.js';

export const taskMarks: Readonly<Record<TaskStatus, string>> = {
  pending: '·',
  in_progress: '▶',
  completed: '✓',
  failed: '✗',
  blocked: '⊘',
};

export function paintTask({ status }: Pick<Task, 'status'>, c: Colors): (text: string) => string {
  switch (status) {
    case 'pending':
    case 'blocked':
      return c.dim;
    case 'in_progress':
      return c.cyan;
    case 'completed':
      return c.green;
    case 'failed':
      return c.red;
  }
}

/** Tasks that nothing more will come of by themselves, of all. */
export function doneOf(tasks: readonly Pick<Task, 'status'>[]): { readonly done: number; readonly all: number } {
  return { done: tasks.filter(({ status }) => status === 'completed').length, all: tasks.length };
}
