/** What has changed of a plan, a line a change: for pipes, and for what stands above a view that is drawn anew. */

import { oneLine } from '../../core/lib/plain.js';
import type { Plan, Task } from '../../core/model/plan.js';
import { statusMarks } from '../../core/state/plan-text.js';
import type { Colors } from '../terminal/colors.js';
import { columns, cut } from '../terminal/text.js';
import { paintTask } from './task-paint.js';

export interface TaskLinesOptions {
  readonly c: Colors;
  readonly width: number;
  /** Marks what is secret in what a model wrote. */
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
  const shown = (text: string) => oneLine(line(text));
  const all = now.tasks.length;
  let done = now.tasks.filter(({ id, status }) => status === 'completed' && known.get(id) === status).length;
  return now.tasks
    .filter((task) => of(task) && known.get(task.id) !== task.status)
    .map((task) => {
      if (task.status === 'completed') done += 1;
      const head = `${statusMarks[task.status]} ${shown(task.id)}`;
      const count = task.status === 'completed' ? ` (${done}/${all})` : '';
      const text = `${stateText(task, shown)}${count}: ${shown(saidOf(task))}`;
      return `${paintTask(task, c)(head)} ${cut(text, Math.max(10, width - columns(head) - 1))}`;
    });
}

function stateText({ status, dependsOn }: Task, shown: (text: string) => string): string {
  const others = shown(dependsOn.join(', '));
  if (status === 'pending') return others === '' ? 'to do' : `to do after ${others}`;
  if (status === 'in_progress') return 'begun';
  return status === 'blocked' ? `blocked by ${others}` : status;
}

/** What it came to, or why not, once that is known. */
function saidOf({ status, description, result, error }: Task): string {
  if (status === 'completed') return result ?? description;
  return status === 'failed' ? (error ?? description) : description;
}
