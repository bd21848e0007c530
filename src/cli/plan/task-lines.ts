/** What has changed of a plan, a line a change: for pipes, and for what stands above a view that is drawn anew. */

import type { Plan, Task } from '../../core/plan/plan.js';
import { statusMarks } from '../../core/plan/plan-view.js';
import type { Colors } from '../chain/colors.js';
import { cut } from '../chain/text.js';
import { doneOf, paintTask } from './task-paint.js';

export interface TaskLinesOptions {
  readonly c: Colors;
  readonly width: number;
  /** Makes what a model wrote fit to be shown, in one line. */
  readonly line: (text: string) => string;
  /** Of which tasks. Default all. */
  readonly of?: (task: Task) => boolean;
}

type Tasks = Pick<Plan, 'tasks'>;

/** @param before null where there was no plan: then each task is told as it stands */
export function taskLines(
  before: Tasks | null,
  now: Tasks,
  { c, width, line, of = () => true }: TaskLinesOptions,
): readonly string[] {
  const known = new Map((before?.tasks ?? []).map((task) => [task.id, task.status]));
  const { done, all } = doneOf(now.tasks);
  return now.tasks
    .filter((task) => of(task) && known.get(task.id) !== task.status)
    .map((task) => {
      const head = `${statusMarks[task.status]} ${task.id}`;
      const count = task.status === 'completed' ? ` (${done}/${all})` : '';
      const text = `${stateText(task)}${count}: ${line(saidOf(task))}`;
      return `${paintTask(task, c)(head)} ${cut(text, Math.max(10, width - head.length - 1))}`;
    });
}

function stateText({ status, dependsOn }: Task): string {
  if (status === 'pending') return dependsOn.length === 0 ? 'to do' : `to do after ${dependsOn.join(', ')}`;
  if (status === 'in_progress') return 'begun';
  return status === 'blocked' ? `blocked by ${dependsOn.join(', ')}` : status;
}

/** What it came to, or why not, once that is known. */
function saidOf({ status, description, result, error }: Task): string {
  if (status === 'completed') return result ?? description;
  return status === 'failed' ? (error ?? description) : description;
}
