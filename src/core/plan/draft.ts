/**
 * A plan while a reply is taken: how it is made and revised, its changes so far, and the notices of them.
 *
 * 1. Completed tasks stay through every revision; a task at work goes on if the new plan has it and lets it.
 * 2. A revision takes no confirmation away: what the tasks that it drops wanted confirmed, all that are left want.
 */

import { formatCount, shorten } from '../lib/display.js';
import type { PlanOptions } from '../model/agent.js';
import type { Plan, PlannedTask, Task } from '../model/plan.js';
import { findTask, listAvailableTasks, updateBlocked } from '../model/tasks.js';
import { maxTaskTextLength, normalizeTasks } from './normalize-tasks.js';
import { setInProgress } from './task-changes.js';

export interface PlanDraft {
  /** What it is all for, should there be no plan. */
  readonly goal: string;
  readonly options: PlanOptions;
  readonly plan: Plan | null;
  /** The task named last in the reply: what is called behind it is for it. */
  readonly lastNamedTask: string | null;
  /** Tasks that failed by the reply. */
  readonly failed: readonly string[];
  /** How the reply is taken, where it does not say so itself: for the model. */
  readonly notes: readonly string[];
  readonly notices: readonly string[];
}

/** A draft in which there is a plan. */
export interface DraftWithPlan extends PlanDraft {
  readonly plan: Plan;
}

/** The goal as its one task, where nobody has made a plan. */
export function ensurePlan(draft: PlanDraft): DraftWithPlan {
  if (draft.plan !== null) return { ...draft, plan: draft.plan };
  return { ...addNotice(draft, 'No plan was made: the goal is the one task.'), plan: createGoalPlan(draft.goal) };
}

/** Begins the first task that is available, if one is. */
export function beginFirstAvailable(draft: DraftWithPlan): DraftWithPlan {
  const [first] = listAvailableTasks(draft.plan);
  if (first === undefined) return draft;
  return { ...draft, plan: setInProgress(draft.plan, first), lastNamedTask: first.id };
}

export function addNotice(draft: PlanDraft, notice: string): PlanDraft {
  return { ...draft, notices: [...draft.notices, notice] };
}

/** `3 tasks, reproduce, fix, test` */
export function formatTasks(tasks: readonly Task[]): string {
  const named = tasks.slice(0, 8).map(({ id }) => id);
  const more = tasks.length > named.length ? [...named, '…'] : named;
  return `${formatCount(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}, ${more.join(', ')}`;
}

const goalTaskId = 'goal';

/** Where nobody made one: the goal is the one task. */
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

/** Null where nothing in it is a task. */
export function createFirstPlan(given: unknown, source: Plan['source']): PlanWithNotes | null {
  const { tasks, notes } = normalizeTasks(given);
  if (tasks.length === 0) return null;
  return { plan: { tasks: updateBlocked(tasks.map(createTask)), revision: 1, source }, notes };
}

/** Null where it would leave a plan without tasks. */
export function revisePlan(plan: Plan, given: unknown): PlanWithNotes | null {
  const kept = plan.tasks.filter(({ status }) => status === 'completed');
  const { tasks, notes } = normalizeTasks(given, kept);
  if (kept.length + tasks.length === 0) return null;
  const gone = plan.tasks.filter((task) => !kept.includes(task) && !tasks.some(({ id }) => id === task.id));
  const confirm = [...new Set(gone.flatMap((task) => task.confirm))];
  const all = [...kept, ...tasks.map((task) => continueTask(plan, task))].map((task) =>
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

/** How often a task was tried is known by its id, whatever it says now. */
function continueTask(plan: Plan, task: PlannedTask): Task {
  const before = findTask(plan, task.id);
  if (before === null) return createTask({ ...task, confirm: [] });
  const { attempts, error } = before;
  const status = before.status === 'in_progress' ? before.status : 'pending';
  return { ...createTask({ ...task, confirm: before.confirm }), status, attempts, error };
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
