/**
 * Validates a plan that a person wrote. A model's plan is corrected instead (normalize-tasks.ts); a person's is rejected
 * with the fix, so that no intention is lost.
 */

import {
  checkList,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  findFirstProblem,
  type ValueCheck,
} from '../lib/check-value.js';
import { isObject } from '../lib/json.js';
import { findNearest } from '../lib/nearest.js';
import { defaults } from '../model/defaults.js';
import { type PlannedTask, type PlanTemplate, taskComplexities } from '../model/plan.js';
import { maxTaskIdLength, maxTaskTextLength, maxTaskTools } from './normalize-tasks.js';

const checkTaskId: ValueCheck = (value, at) =>
  typeof value === 'string' && new RegExp(`^[A-Za-z][\\w-]{0,${maxTaskIdLength - 1}}$`).test(value)
    ? null
    : `${at} must begin with a letter and contain only letters, digits, _ and -, at most ${maxTaskIdLength}`;

const checkDescription: ValueCheck = (value, at) =>
  checkNonEmptyText(value, at) ??
  ((value as string).length <= maxTaskTextLength
    ? null
    : `${at} is ${(value as string).length} characters; the limit is ${maxTaskTextLength}. Put long text into the goal`);

const checkToolNames: ValueCheck = (value, at) =>
  checkList(checkNonEmptyText)(value, at) ??
  ((value as unknown[]).length <= maxTaskTools ? null : `${at} has more than ${maxTaskTools} names`);

const checkTaskMembers = checkMembers<PlannedTask>({
  id: checkTaskId,
  description: checkDescription,
  dependsOn: checkList(checkNonEmptyText),
  tools: checkToolNames,
  confirm: checkToolNames,
  complexity: (value, at) => checkOneOf(taskComplexities, value, at),
});

const checkTask: ValueCheck = (value, at) => {
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
  return (
    findFirstProblem(tasks.map((each: unknown, index) => checkTask(each, `${at}.${index}`))) ??
    validateDependencies(tasks, at)
  );
}

export function validatePlanTemplate(plan: unknown): string | null {
  if (!isObject(plan))
    return "it must be an object { name: 'my_plan', tasks: [ … ] }, as plan() of a plan template returns it";
  const { name, tasks } = plan as Partial<PlanTemplate>;
  const stranger = checkMembers<PlanTemplate>({ name: checkNonEmptyText, tasks: () => null })(plan, 'plan');
  return stranger ?? checkNonEmptyText(name, 'plan.name') ?? validateTasks(tasks, 'plan.tasks');
}

function validateDependencies(tasks: readonly PlannedTask[], at: string): string | null {
  const ids = tasks.map((each) => each.id);
  const twice = ids.find((each, index) => ids.indexOf(each) !== index);
  if (twice !== undefined) return `${at} has two tasks with the id ${twice}: rename one`;
  for (const { id: own, dependsOn = [] } of tasks) {
    const unknown = dependsOn.find((each) => !ids.includes(each));
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
  const waits = new Map(tasks.map((each) => [each.id, each.dependsOn ?? []]));
  // Remove tasks without remaining dependencies. Those that remain are in a cycle or depend on one.
  for (let done = true; done; ) {
    const free = [...waits].filter(([, on]) => on.every((each) => !waits.has(each)));
    for (const [each] of free) waits.delete(each);
    done = free.length > 0;
  }
  const path: string[] = [];
  let next = [...waits.keys()][0];
  while (next !== undefined && !path.includes(next)) {
    path.push(next);
    next = waits.get(next)?.find((each) => waits.has(each));
  }
  return next === undefined ? null : [...path.slice(path.indexOf(next)), next];
}
