/**
 * Turns tasks from a model, a file or an earlier chain into a valid plan, or into no tasks (L4). Notes report each change.
 *
 * 1. At most 50 tasks, with short texts: the state carries them.
 * 2. Ids are unique, and dependencies exist.
 * 3. Dependencies have no cycle: a dependency that would close one is omitted.
 */

import { findOwn, isObject, omitUndefined, shorten } from '../../lib/index.js';
import { defaults, type PlannedTask, taskComplexities, toIsOrAre } from '../../model/index.js';

/** Characters. */
export const maxTaskIdLength = 40;
export const maxTaskTextLength = 500;
/** Names of tools that a task may list, and their length. */
export const maxTaskTools = 16;
const maxToolNameLength = 64;
export const maxTaskWhyLength = 200;

export interface NormalizedTasks {
  readonly tasks: readonly PlannedTask[];
  /** One sentence for each change. */
  readonly notes: readonly string[];
}

/** @param plannedTasks tasks that remain in the plan: their ids are reserved, and new tasks may depend on them */
export function normalizeTasks(value: unknown, plannedTasks: readonly PlannedTask[] = []): NormalizedTasks {
  const notes: string[] = [];
  const read = Array.isArray(value) ? value.map(parseTask).filter((task) => task !== null) : [];
  const again = read.filter(({ id }) => plannedTasks.some((task) => task.id === id)).map(({ id }) => id);
  if (again.length > 0) notes.push(`${again.join(', ')} ${toIsOrAre(again)} already completed and unchanged.`);
  const fresh = read.filter(({ id }) => !again.includes(id));
  const room = Math.max(0, defaults.planTasks - plannedTasks.length);
  if (fresh.length > room)
    notes.push(`A plan has at most ${defaults.planTasks} tasks: the last ${fresh.length - room} are left out.`);
  const tasks = makeIdsUnique(fresh.slice(0, room), plannedTasks, notes);
  return { tasks: breakCycles(dropUnknownDependencies(tasks, plannedTasks, notes), notes), notes };
}

/** Returns null without an id and a description. A text is a task with this description. */
function parseTask(value: unknown, index: number): PlannedTask | null {
  const task = typeof value === 'string' ? { description: value } : isObject(value) ? value : {};
  const id = parseLine(findOwn(task, 'id'), maxTaskIdLength);
  const description = parseText(findOwn(task, 'description'), maxTaskTextLength);
  if (id === '' && description === '') return null;
  return {
    id: id === '' ? `task_${index + 1}` : id,
    description: description === '' ? id : description,
    dependsOn: parseNames(
      findOwn(task, 'dependsOn') ?? findOwn(task, 'depends_on') ?? findOwn(task, 'dependencies'),
      defaults.planTasks,
      maxTaskIdLength,
    ),
    tools: parseNames(findOwn(task, 'tools') ?? findOwn(task, 'required_tools'), maxTaskTools, maxToolNameLength),
    confirm: parseNames(findOwn(task, 'confirm'), maxTaskTools, maxToolNameLength),
    ...parseComplexity(findOwn(task, 'complexity') ?? findOwn(task, 'estimated_complexity')),
    ...omitUndefined({ why: parseLine(findOwn(task, 'why'), maxTaskWhyLength) || undefined }),
  };
}

function parseComplexity(value: unknown): Pick<PlannedTask, 'complexity'> {
  const complexity = taskComplexities.find((taskComplexity) => taskComplexity === value);
  return complexity === undefined ? {} : { complexity };
}

function parseNames(value: unknown, max: number, longest: number): readonly string[] {
  const listed = Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
  const all = listed.map((name) => parseLine(name, longest)).filter((name) => name !== '');
  return [...new Set(all)].slice(0, max);
}

/** Accepts numbers too: models number their tasks. */
function parseLine(value: unknown, maxLength: number): string {
  return shorten(parseText(value, maxLength * 4).replace(/\s+/g, ' '), maxLength);
}

function parseText(value: unknown, maxLength: number): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? shorten(value.trim(), maxLength) : '';
}

function makeIdsUnique(
  tasks: readonly PlannedTask[],
  plannedTasks: readonly PlannedTask[],
  notes: string[],
): readonly PlannedTask[] {
  const taken = new Set(plannedTasks.map(({ id }) => id));
  return tasks.map((task) => {
    let { id } = task;
    for (let nth = 2; taken.has(id); nth++) id = `${task.id.slice(0, maxTaskIdLength - 4)}_${nth}`;
    taken.add(id);
    if (id !== task.id) notes.push(`The id ${task.id} is used twice: the second task is now ${id}.`);
    return { ...task, id };
  });
}

function dropUnknownDependencies(
  tasks: readonly PlannedTask[],
  plannedTasks: readonly PlannedTask[],
  notes: string[],
): readonly PlannedTask[] {
  const known = new Set([...plannedTasks, ...tasks].map(({ id }) => id));
  return tasks.map((task) => {
    const unknown = task.dependsOn.filter((id) => !known.has(id));
    if (unknown.length > 0) notes.push(`${task.id} does not depend on ${unknown.join(', ')}: no such task.`);
    return { ...task, dependsOn: task.dependsOn.filter((id) => known.has(id)) };
  });
}

/** Drops each dependency that closes a cycle, in the order of the tasks. Kept tasks depend on none of these. */
function breakCycles(tasks: readonly PlannedTask[], notes: string[]): readonly PlannedTask[] {
  const waitsFor = new Map<string, readonly string[]>(tasks.map(({ id }) => [id, []]));
  const leadsTo = (from: string, to: string): boolean => {
    const ahead = [from];
    const visitedIds = new Set(ahead);
    for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
      if (id === to) return true;
      for (const next of waitsFor.get(id) ?? []) if (!visitedIds.has(next)) ahead.push(next);
      for (const next of waitsFor.get(id) ?? []) visitedIds.add(next);
    }
    return false;
  };
  return tasks.map((task) => {
    const dependsOn: string[] = [];
    for (const id of task.dependsOn) {
      if (id === task.id) notes.push(`${id} cannot depend on itself.`);
      else if (leadsTo(id, task.id)) notes.push(`${task.id} does not depend on ${id}: ${id} depends on it.`);
      else dependsOn.push(id);
      waitsFor.set(task.id, dependsOn);
    }
    return { ...task, dependsOn };
  });
}
