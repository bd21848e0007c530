/** A plan while a reply is taken: what has become of it so far, and what is to be told of that. */

import { count } from '../lib/display.js';
import type { PlanOptions } from '../model/agent.js';
import type { Plan, Task } from '../model/plan.js';
import { available } from '../model/tasks.js';
import { planOfGoal } from './revise.js';
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
