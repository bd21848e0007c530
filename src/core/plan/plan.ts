/**
 * A plan as a chain keeps it: tasks, what each waits for, and how far each has come. Plain data, and bounded: a state
 * carries it.
 */

/** `blocked`: a task that it waits for has failed, or is blocked itself. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked';

/** A task as somebody plans it: a model, or whoever wrote a template. */
export interface PlannedTask {
  /** Short, and its own within the plan: `reproduce`, `task_2`. */
  readonly id: string;
  readonly description: string;
  /** Ids of the tasks that must be completed first. */
  readonly dependsOn: readonly string[];
  /** Names of the tools that it will most likely need; empty where nobody said. */
  readonly tools: readonly string[];
  /** Names of the tools whose calls a person approves while this task is worked on. */
  readonly confirm: readonly string[];
}

export interface Task extends PlannedTask {
  readonly status: TaskStatus;
  /** What it came to, shortened; null until then. */
  readonly result: string | null;
  /** Why it failed the last time; null where it did not. */
  readonly error: string | null;
  /** How often it was begun. */
  readonly attempts: number;
}

export interface Plan {
  readonly tasks: readonly Task[];
  /** 1 for the first; one more with each change of the tasks themselves. */
  readonly revision: number;
  /** Where it came from: a model, a template, an earlier chain with the same goal, or nowhere, when the goal is its one task. */
  readonly source: 'model' | 'template' | 'reused' | 'goal';
}

/** What a chain may be started with instead of making a plan of its own. */
export interface PlanTemplate {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
}
