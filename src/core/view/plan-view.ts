/** A plan as somebody may see it: as much as of the chain's thoughts. */

import { shorten } from '../lib/display.js';
import type { Level } from '../model/agent.js';
import type { Plan, Task } from '../model/plan.js';
import type { Mask } from './chain-masker.js';

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

/** Ids and names are words of a model as well. */
function masked(task: Task, { text }: Pick<Mask, 'text'>): Task {
  return {
    ...task,
    id: text(task.id),
    description: text(task.description),
    dependsOn: task.dependsOn.map(text),
    tools: task.tools.map(text),
    confirm: task.confirm.map(text),
    result: task.result === null ? null : text(task.result),
    error: task.error === null ? null : text(task.error),
  };
}
