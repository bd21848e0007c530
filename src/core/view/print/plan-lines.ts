/** A chain's plan as lines: in full under the head of the chain, or a line for each changed task. */

import { type Plan, statusMarks, type Task } from '../../model/index.js';
import { formatPlanShare, formatTaskIndent, placeTasks } from '../task-tree.js';
import { createBareLine, createLine, createNamedLabel, createSignLabel, type Line, taskStyles } from './line.js';

export function formatPlanLines(plan: Plan | undefined): readonly Line[] {
  if (plan === undefined) return [];
  const tasks = placeTasks(plan).map(({ task, depth, text }) => {
    const result = (task.status === 'failed' ? task.error : task.result) ?? '';
    const notes = [
      ...(result === '' ? [] : [result]),
      ...(task.metadata === undefined ? [] : [`metadata ${JSON.stringify(task.metadata)}`]),
    ];
    return createBareLine(formatTaskIndent(depth) + text, taskStyles[task.status], { form: 'value', notes });
  });
  return [createLine(createNamedLabel('plan', 'heading'), { content: formatPlanShare(plan) }), ...tasks];
}

type TaskList = Pick<Plan, 'tasks'>;

/** @param before null if there was no plan: then every task has a line @param isIncluded filters the tasks; default all */
export function formatTaskLines(
  before: TaskList | null,
  now: TaskList,
  isIncluded: (task: Task) => boolean = () => true,
): readonly Line[] {
  const known = new Map((before?.tasks ?? []).map((task) => [task.id, task.status]));
  const all = now.tasks.length;
  let done = now.tasks.filter(({ id, status }) => status === 'completed' && known.get(id) === status).length;
  return now.tasks
    .filter((task) => isIncluded(task) && known.get(task.id) !== task.status)
    .map((task) => {
      if (task.status === 'completed') done += 1;
      const count = task.status === 'completed' ? ` (${done}/${all})` : '';
      const label = createSignLabel('task', statusMarks[task.status], taskStyles[task.status], task.id);
      return createLine(label, { content: `${formatTaskStatus(task)}${count}: ${getTaskText(task)}`, form: 'value' });
    });
}

function formatTaskStatus({ status, dependsOn }: Task): string {
  const others = dependsOn.join(', ');
  if (status === 'pending') return others === '' ? 'to do' : `to do after ${others}`;
  if (status === 'in_progress') return 'started';
  return status === 'blocked' ? `blocked by ${others}` : status;
}

/** Returns the result of a task; its description until then. */
function getTaskText({ status, description, result, error }: Task): string {
  if (status === 'completed') return result ?? description;
  return status === 'failed' ? (error ?? description) : description;
}
