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

/** What the rules of planning keep in mind between two facts, besides the plan. */
export interface PlanningState {
  /** Steps at work since the model was last asked to look back. */
  readonly stepsSinceReflection: number;
  /** Whether the step under way was asked to: words alone are then what was learned, and no task's result. */
  readonly isReflecting: boolean;
  /** Of a task at work, the tool that failed last and how often in a row. */
  readonly failing: readonly FailingTool[];
  /** What the step under way has done, until its calls have ended and the model is told what is next. */
  readonly step: PlanStep;
}

export interface FailingTool {
  readonly task: string;
  readonly tool: string;
  readonly times: number;
}

export interface PlanStep {
  /** `planning`: there was no plan before it. `reflection`: it was asked to look back. */
  readonly kind: 'planning' | 'work' | 'reflection';
  /** Whether the tasks are other ones than before, or have come further. */
  readonly changed: boolean;
  /** Tasks that failed by what was said in it. */
  readonly failed: readonly string[];
  /** How it was taken, where it did not say so itself. */
  readonly notes: readonly string[];
  /** Whether it made no call: the model has no answer to go on from. */
  readonly isTextOnly: boolean;
}

export const emptyPlanStep: PlanStep = { kind: 'work', changed: false, failed: [], notes: [], isTextOnly: false };

/** What the model is told of its plan, for good: requests only ever grow at their end. */
export interface PlanGuidance {
  readonly text: string;
  /** The step behind which it stands; 0 for before the first. */
  readonly afterStep: number;
}

/** What a chain may be started with instead of making a plan of its own. */
export interface PlanTemplate {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
}
