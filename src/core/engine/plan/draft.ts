/**
 * The plan while a reply is applied to it: creation, revision, changes so far and their notices.
 *
 * 1. A revision keeps completed tasks; a task in progress continues if the new plan has it and its dependencies are met.
 * 2. A revision removes no confirmation: every remaining task inherits the `confirm` lists of the dropped ones.
 */

import { findOwn, formatPlural, isObject, shorten } from '../../lib/index.js';
import {
  checkTaskMetadata,
  findTask,
  listAvailableTasks,
  type NoticeCode,
  type Plan,
  type PlannedTask,
  type PlanOptions,
  type Task,
  updateBlocked,
} from '../../model/index.js';
import { maxTaskTextLength, normalizeTasks } from './normalize-tasks.js';
import { setInProgress } from './task-changes.js';

export interface PlanDraft {
  /** The chain's task: becomes the only plan task if the model makes no plan. */
  readonly goal: string;
  readonly options: PlanOptions;
  readonly plan: Plan | null;
  /** The task that the reply started last: later calls of the reply belong to it. */
  readonly lastNamedTask: string | null;
  /** Ids of the tasks that the reply failed. */
  readonly failed: readonly string[];
  /** For the model: how an ambiguous reply was read. */
  readonly notes: readonly string[];
  readonly notices: readonly PlanNotice[];
}

interface PlanNotice {
  readonly code: NoticeCode;
  readonly text: string;
}

export interface DraftWithPlan extends PlanDraft {
  readonly plan: Plan;
}

/** Creates the plan from the goal if the draft has no plan. */
export function ensurePlan(draft: PlanDraft): DraftWithPlan {
  if (draft.plan !== null) return { ...draft, plan: draft.plan };
  return {
    ...addNotice(draft, 'The model made no plan: the goal is the only task.'),
    plan: createGoalPlan(draft.goal),
  };
}

/** Starts the first available task, if any. */
export function beginFirstAvailable(draft: DraftWithPlan): DraftWithPlan {
  const [first] = listAvailableTasks(draft.plan);
  if (first === undefined) return draft;
  return { ...draft, plan: setInProgress(draft.plan, first), lastNamedTask: first.id };
}

export function addNotice<D extends PlanDraft>(draft: D, text: string, code: NoticeCode = 'plan_changed'): D {
  return { ...draft, notices: [...draft.notices, { code, text }] };
}

/** `3 tasks, reproduce, fix, test` */
export function formatTasks(tasks: readonly Task[]): string {
  const ids = tasks.slice(0, 8).map(({ id }) => id);
  const more = tasks.length > ids.length ? [...ids, '…'] : ids;
  return `${formatPlural(tasks.length, 'task')}, ${more.join(', ')}`;
}

const goalTaskId = 'goal';

/** Returns a plan with the goal as its only task. */
export function createGoalPlan(goal: string): Plan {
  const description = shorten(goal.trim(), maxTaskTextLength);
  return {
    tasks: [createTask({ id: goalTaskId, description, dependsOn: [], tools: [], confirm: [] })],
    revision: 1,
    source: 'goal',
  };
}

interface PlanWithNotes {
  readonly plan: Plan;
  readonly notes: readonly string[];
}

/** Returns null if the input has no readable task. */
export function createFirstPlan(taskList: unknown, source: Plan['source']): PlanWithNotes | null {
  const { tasks, notes } = normalizeTasks(taskList);
  if (tasks.length === 0) return null;
  const planned = source === 'template' ? tasks.map((task) => ({ ...task, ...findMetadata(taskList, task) })) : tasks;
  return { plan: { tasks: updateBlocked(planned.map(createTask)), revision: 1, source }, notes };
}

/** Returns the metadata of a template's task. That of a model would be its own. */
function findMetadata(taskList: unknown, { id }: PlannedTask): Pick<PlannedTask, 'metadata'> {
  const tasks = Array.isArray(taskList) ? taskList.filter(isObject) : [];
  const metadata = tasks.find((task) => findOwn(task, 'id') === id)?.metadata;
  return checkTaskMetadata.is(metadata) ? { metadata } : {};
}

/** Returns null if the revised plan would have no tasks. */
export function revisePlan(plan: Plan, taskList: unknown): PlanWithNotes | null {
  const completedTasks = plan.tasks.filter(({ status }) => status === 'completed');
  const { tasks, notes } = normalizeTasks(taskList, completedTasks);
  if (completedTasks.length + tasks.length === 0) return null;
  const gone = plan.tasks.filter((task) => !completedTasks.includes(task) && !tasks.some(({ id }) => id === task.id));
  const confirm = [...new Set(gone.flatMap((task) => task.confirm))];
  const all = [...completedTasks, ...tasks.map((task) => continueTask(plan, task))].map((task) =>
    addConfirmations(task, confirm),
  );
  return {
    plan: {
      ...plan,
      tasks: updateBlocked(all.map((task) => resetUnlessReady(task, all))),
      revision: plan.revision + 1,
    },
    notes,
  };
}

function createTask(task: PlannedTask): Task {
  return { ...task, status: 'pending', result: null, error: null, attempts: 0 };
}

/** Keeps the attempts, the error and the metadata of the task with the same id, even if its description changed. */
function continueTask(plan: Plan, task: PlannedTask): Task {
  const before = findTask(plan, task.id);
  if (before === null) return createTask({ ...task, confirm: [] });
  const { attempts, error } = before;
  const metadata = before.metadata === undefined ? {} : { metadata: before.metadata };
  const status = before.status === 'in_progress' ? before.status : 'pending';
  return { ...createTask({ ...task, ...metadata, confirm: before.confirm }), status, attempts, error };
}

function addConfirmations(task: Task, confirm: readonly string[]): Task {
  const more = confirm.filter((tool) => !task.confirm.includes(tool));
  return more.length === 0 ? task : { ...task, confirm: [...task.confirm, ...more] };
}

function resetUnlessReady(task: Task, all: readonly Task[]): Task {
  if (task.status !== 'in_progress') return task;
  const ready = all.every(({ id, status }) => status === 'completed' || !task.dependsOn.includes(id));
  return ready ? task : { ...task, status: 'pending' };
}
