/** How the states of tasks are painted, and how many have come to their end. */

import type { Task } from '../../core/model/plan.js';
import type { Colors } from '../terminal/colors.js';

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

export function doneOf(tasks: readonly Pick<Task, 'status'>[]): { readonly done: number; readonly all: number } {
  return { done: tasks.filter(({ status }) => status === 'completed').length, all: tasks.length };
}
