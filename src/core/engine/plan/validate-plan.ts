/**
 * Validates a plan that a person wrote. A model's plan is corrected instead (normalize-tasks.ts); a person's is rejected
 * with the fix, so that no intention is lost.
 */

import { check, findNearest, isObject } from '../../lib/index.js';
import {
  checkTaskMetadata,
  defaults,
  type PlannedTask,
  type PlanTemplate,
  taskComplexities,
} from '../../model/index.js';
import { maxTaskIdLength, maxTaskTextLength, maxTaskTools, maxTaskWhyLength } from './normalize-tasks.js';

const taskIdPattern = new RegExp(`^[A-Za-z][\\w-]{0,${maxTaskIdLength - 1}}$`);
const checkTaskId = check.define(
  (value) => typeof value === 'string' && taskIdPattern.test(value),
  `must begin with a letter and contain only letters, digits, _ and -, at most ${maxTaskIdLength}`,
);
const checkDescription = check.refine(
  check.nonEmptyText,
  ({ length }) => length <= maxTaskTextLength,
  ({ length }) => `is ${length} characters; the limit is ${maxTaskTextLength}. Put long text into the goal`,
);
const checkNames = check.list(check.nonEmptyText);
const checkToolNames = check.refine(
  checkNames,
  ({ length }) => length <= maxTaskTools,
  `has more than ${maxTaskTools} names`,
);

const whyProblem = `has more than ${maxTaskWhyLength} characters`;

const checkTaskMembers = check.members<PlannedTask>({
  id: checkTaskId,
  description: checkDescription,
  dependsOn: checkNames,
  tools: checkToolNames,
  confirm: checkToolNames,
  complexity: check.oneOf(taskComplexities),
  why: check.refine(check.nonEmptyText, ({ length }) => length <= maxTaskWhyLength, whyProblem),
  metadata: checkTaskMetadata,
});

const checkTask: check.ValueCheck = (value, at) => {
  if (!isObject(value)) return `${at} must be a task: { id: 'reproduce', description: 'Reproduce the bug.' }`;
  const missing = ['id', 'description'].find((member) => value[member] === undefined);
  return missing === undefined
    ? checkTaskMembers(value, at)
    : `${at} needs ${missing === 'id' ? 'an id' : 'a description'}`;
};

/** Returns what is wrong, as a sentence without its full stop, or null. @param at the path of the tasks in the input */
export function validateTasks(tasks: unknown, at: string): string | null {
  if (!Array.isArray(tasks) || tasks.length === 0) return `${at} must be a list of at least one task`;
  if (tasks.length > defaults.planTasks) return `${at} has ${tasks.length} tasks; the limit is ${defaults.planTasks}`;
  return check.list(checkTask)(tasks, at) ?? validateDependencies(tasks, at);
}

export function validatePlanTemplate(plan: unknown): string | null {
  if (!isObject(plan))
    return "it must be an object { name: 'my_plan', tasks: [ … ] }, as plan() of a plan template returns it";
  const { name, tasks } = plan as Partial<PlanTemplate>;
  const stranger = check.members<PlanTemplate>({ name: check.nonEmptyText, tasks: check.anything })(plan, 'plan');
  return stranger ?? check.nonEmptyText(name, 'plan.name') ?? validateTasks(tasks, 'plan.tasks');
}

function validateDependencies(tasks: readonly PlannedTask[], at: string): string | null {
  const ids = tasks.map((task) => task.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `${at} has two tasks with the id ${twice}: rename one`;
  for (const { id: own, dependsOn = [] } of tasks) {
    const unknown = dependsOn.find((id) => !ids.includes(id));
    if (unknown === undefined) continue;
    const meant = findNearest(unknown, ids);
    const help = meant === null ? `the tasks are: ${ids.join(', ')}` : `you may mean ${meant}`;
    return `${own} depends on ${unknown}, which is not a task; ${help}`;
  }
  const cycle = findCycle(tasks);
  return cycle === null ? null : `cyclic dependency: ${cycle.join(' depends on ')}. Remove one of these dependencies`;
}

/** Returns a cycle of dependencies, its first id again at the end; null without one. */
function findCycle(tasks: readonly PlannedTask[]): readonly string[] | null {
  const waits = new Map(tasks.map((task) => [task.id, task.dependsOn ?? []]));
  // Remove tasks without remaining dependencies. Those that remain are in a cycle or depend on one.
  for (let done = true; done; ) {
    const free = [...waits].filter(([, on]) => on.every((id) => !waits.has(id)));
    for (const [id] of free) waits.delete(id);
    done = free.length > 0;
  }
  const path: string[] = [];
  let next = [...waits.keys()][0];
  while (next !== undefined && !path.includes(next)) {
    path.push(next);
    next = waits.get(next)?.find((id) => waits.has(id));
  }
  return next === undefined ? null : [...path.slice(path.indexOf(next)), next];
}
