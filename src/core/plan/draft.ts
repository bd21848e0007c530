/**
 * A plan while a reply is taken: how it is made and revised, its changes so far, and the notices of them.
 *
 * 1. Completed tasks stay through every revision; a task at work goes on if the new plan has it and lets it.
 * 2. A revision takes no confirmation away: what the tasks that it drops wanted confirmed, all that are left want.
 */

import { count, shorten } from '../lib/display.js';
import type { PlanOptions } from '../model/agent.js';
import type { Plan, PlannedTask, Task } from '../model/plan.js';
import { available, blockedAnew, taskOf } from '../model/tasks.js';
import { fitTasks, longestText } from './fit-tasks.js';
import { begin } from './work.js';

export interface Draft {
  /** What it is all for, should there be no plan. */
  readonly goal: string;
  readonly options: PlanOptions;
  readonly plan: Plan | null;
  /** The task named last in the reply: what is called behind it is for it. */
  readonly named: string | null;
  /** Tasks that failed by the reply. */
  readonly failed: readonly string[];
  /** How the reply is taken, where it does not say so itself: for the model. */
  readonly told: readonly string[];
  readonly notices: readonly string[];
}

/** A draft in which there is a plan. */
export interface PlannedDraft extends Draft {
  readonly plan: Plan;
}

/** The goal as its one task, where nobody has made a plan. */
export function planned(draft: Draft): PlannedDraft {
  if (draft.plan !== null) return { ...draft, plan: draft.plan };
  return { ...tell(draft, 'No plan was made: the goal is the one task.'), plan: planOfGoal(draft.goal) };
}

/** Begins the first task that is available, if one is. */
export function withTaskBegun(draft: PlannedDraft): PlannedDraft {
  const [first] = available(draft.plan);
  if (first === undefined) return draft;
  return { ...draft, plan: begin(draft.plan, first), named: first.id };
}

export function tell(draft: Draft, notice: string): Draft {
  return { ...draft, notices: [...draft.notices, notice] };
}

/** `3 tasks, reproduce, fix, test` */
export function tasksText(tasks: readonly Task[]): string {
  const named = tasks.slice(0, 8).map(({ id }) => id);
  const more = tasks.length > named.length ? [...named, '…'] : named;
  return `${count(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}, ${more.join(', ')}`;
}

const goalTask = 'goal';

/** Where nobody made one: the goal is the one task. */
export function planOfGoal(goal: string): Plan {
  const description = shorten(goal.trim(), longestText);
  return {
    tasks: [newTask({ id: goalTask, description, dependsOn: [], tools: [], confirm: [] })],
    revision: 1,
    source: 'goal',
  };
}

interface Revised {
  readonly plan: Plan;
  readonly notes: readonly string[];
}

/** Null where nothing in it is a task. */
export function firstPlan(given: unknown, source: Plan['source']): Revised | null {
  const { tasks, notes } = fitTasks(given);
  if (tasks.length === 0) return null;
  return { plan: { tasks: blockedAnew(tasks.map(newTask)), revision: 1, source }, notes };
}

/** Null where it would leave a plan without tasks. */
export function revisedPlan(plan: Plan, given: unknown): Revised | null {
  const kept = plan.tasks.filter(({ status }) => status === 'completed');
  const { tasks, notes } = fitTasks(given, kept);
  if (kept.length + tasks.length === 0) return null;
  const gone = plan.tasks.filter((task) => !kept.includes(task) && !tasks.some(({ id }) => id === task.id));
  const confirm = [...new Set(gone.flatMap((task) => task.confirm))];
  const all = [...kept, ...tasks.map((task) => goneOnWith(plan, task))].map((task) => confirming(task, confirm));
  return {
    plan: {
      ...plan,
      tasks: blockedAnew(all.map((task) => stoppedUnlessReady(task, all))),
      revision: plan.revision + 1,
    },
    notes,
  };
}

function newTask(task: PlannedTask): Task {
  return { ...task, status: 'pending', result: null, error: null, attempts: 0 };
}

/** How often a task was tried is known by its id, whatever it says now. */
function goneOnWith(plan: Plan, task: PlannedTask): Task {
  const before = taskOf(plan, task.id);
  if (before === null) return newTask({ ...task, confirm: [] });
  const { attempts, error } = before;
  const status = before.status === 'in_progress' ? before.status : 'pending';
  return { ...newTask({ ...task, confirm: before.confirm }), status, attempts, error };
}

function confirming(task: Task, confirm: readonly string[]): Task {
  const more = confirm.filter((tool) => !task.confirm.includes(tool));
  return more.length === 0 ? task : { ...task, confirm: [...task.confirm, ...more] };
}

function stoppedUnlessReady(task: Task, all: readonly Task[]): Task {
  if (task.status !== 'in_progress') return task;
  const ready = all.every(({ id, status }) => status === 'completed' || !task.dependsOn.includes(id));
  return ready ? task : { ...task, status: 'pending' };
}
