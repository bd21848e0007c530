/** A chain's plan as lines: all of it under the head of the chain, or a line for each task whose status has changed. */

import type { Plan, Task } from '../model/plan.js';
import { planLine, statusMarks, taskLine } from '../model/tasks.js';
import type { Shown } from '../view/snippet-masker.js';
import { bare, type Line, lineOf, named, signed, taskStyles } from './line.js';

export function planLines(plan: Plan | undefined): readonly Line[] {
  if (plan === undefined) return [];
  const tasks = plan.tasks.map((task) => {
    const result = (task.status === 'failed' ? task.error : task.result) ?? '';
    const notes = result === '' ? [] : [result];
    return bare(taskLine(task), taskStyles[task.status], { form: 'value', notes });
  });
  return [lineOf(named('plan', 'heading'), { said: planLine(plan) }), ...tasks];
}

type Tasks = Pick<Plan, 'tasks'>;

/**
 * @param before null where there was no plan: then every task has a line
 * @param of the tasks that are told; default all
 */
export function taskLines(before: Tasks | null, now: Tasks, of: (task: Task) => boolean = () => true): readonly Line[] {
  const known = new Map((before?.tasks ?? []).map((task) => [task.id, task.status]));
  const all = now.tasks.length;
  let done = now.tasks.filter(({ id, status }) => status === 'completed' && known.get(id) === status).length;
  return now.tasks
    .filter((task) => of(task) && known.get(task.id) !== task.status)
    .map((task) => {
      if (task.status === 'completed') done += 1;
      const count = task.status === 'completed' ? ` (${done}/${all})` : '';
      const label = signed('task', statusMarks[task.status], taskStyles[task.status], task.id);
      return lineOf(label, { said: `${statusText(task)}${count}: ${resultOf(task)}`, form: 'value' });
    });
}

function statusText({ status, dependsOn }: Task): string {
  const others = dependsOn.join(', ');
  if (status === 'pending') return others === '' ? 'to do' : `to do after ${others}`;
  if (status === 'in_progress') return 'begun';
  return status === 'blocked' ? `blocked by ${others}` : status;
}

/** What a task came to; its description as long as that is not known. */
function resultOf({ status, description, result, error }: Task): string {
  if (status === 'completed') return result ?? description;
  return status === 'failed' ? (error ?? description) : description;
}

/** Characters of a text of a task. */
const longest = 2_000;

/** Ids and names are words of a model as well. */
export function maskedTask(task: Task, { line }: Pick<Shown, 'line'>): Task {
  const { id, description, dependsOn, result, error } = task;
  return {
    ...task,
    id: line(id, 100),
    description: line(description, longest),
    dependsOn: dependsOn.map((each) => line(each, 100)),
    result: result === null ? null : line(result, longest),
    error: error === null ? null : line(error, longest),
  };
}
