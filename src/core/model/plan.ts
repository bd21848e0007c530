/**
 * The plan of a chain: tasks, their dependencies and their status. Plain data, and bounded, because the state contains it.
 */

import type { JsonObject } from '../lib/index.js';

/** `blocked`: a dependency failed or is blocked itself. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked';

export const taskComplexities = ['low', 'medium', 'high'] as const;

export type TaskComplexity = (typeof taskComplexities)[number];

/** A task as a model or a plan template defines it. */
export interface PlannedTask {
  /** Short, and unique in the plan: `reproduce`, `task_2`. */
  readonly id: string;
  readonly description: string;
  /** Ids of the tasks that must be completed first. */
  readonly dependsOn: readonly string[];
  /** Names of the tools that it will likely need; may be empty. */
  readonly tools: readonly string[];
  /** As its maker estimates it; absent without an estimate. */
  readonly complexity?: TaskComplexity;
  /** Why the goal needs it, in a sentence; absent where its maker gives no reason. */
  readonly why?: string;
  /** Names of the tools whose calls need approval while this task is in progress. */
  readonly confirm: readonly string[];
  /** Free data for readers, which no model sees. Only in the tasks of a plan template. */
  readonly metadata?: JsonObject;
}

export interface Task extends PlannedTask {
  readonly status: TaskStatus;
  /** Its result, shortened; null until it is completed. */
  readonly result: string | null;
  /** Error of its last failure; null if it has not failed. */
  readonly error: string | null;
  /** How often it was started. */
  readonly attempts: number;
}

export interface Plan {
  readonly tasks: readonly Task[];
  /** 1 for the first plan; increases with each change of its tasks. */
  readonly revision: number;
  /** Its maker: the model, a plan template, an earlier chain; `goal` where the goal is the one task. */
  readonly source: 'model' | 'template' | 'reused' | 'goal';
}

/** The plan of an earlier chain for the same goal, or for one that is similar. */
export interface ReusedPlan {
  readonly tasks: readonly PlannedTask[];
  /** The earlier chain. */
  readonly chainId: string;
  /** Its goal, shortened. */
  readonly goal: string;
  /** 1 for the same goal. */
  readonly similarity: number;
}

/** Chains that share their plans: equal tenant, agent, instructions, tools and version. */
export interface PlanScope {
  readonly tenant: string | null;
  /** Digest of everything that they share. */
  readonly key: string;
}

/** A plan of a chain that ended in success. */
export interface StoredPlan {
  readonly tasks: readonly PlannedTask[];
  readonly goal: string;
  readonly chainId: string;
  /** The user of the chain; null for none. */
  readonly user: string | null;
  /** When the chain started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Counters of the planning rules between two facts. */
export interface PlanningState {
  /** Steps of work since the last reflection. */
  readonly stepsSinceReflection: number;
  /** Whether the step under way is a reflection: plain text is then what was learned, not the result of a task. */
  readonly isReflecting: boolean;
  /** For each task in progress, the tool that failed last and how often in a row. */
  readonly failing: readonly FailingTool[];
  /** Effect of the step under way on the plan, until its calls have ended and the next guidance is written. */
  readonly step: PlanStep;
}

export interface FailingTool {
  readonly task: string;
  readonly tool: string;
  readonly times: number;
}

export interface PlanStep {
  /** `planning`: no plan existed before the step. `reflection`: the model was asked to reflect. */
  readonly kind: 'planning' | 'work' | 'reflection';
  /** Whether tasks were changed or made progress. */
  readonly changed: boolean;
  /** Tasks that the model reported as failed. */
  readonly failed: readonly string[];
  /** How the step was interpreted, where the reply did not state it. */
  readonly notes: readonly string[];
  /** Whether it made no call, or only reviewed the plan, so that no observation continues the work. */
  readonly needsHint: boolean;
}

export const emptyPlanStep: PlanStep = { kind: 'work', changed: false, failed: [], notes: [], needsHint: false };

/** Learnings that one step records. */
export const maxLearnings = 5;

/** Guidance about the plan in the model's conversation. Never changed later: requests only grow at their end. */
export interface PlanGuidance {
  readonly text: string;
  /** The step after which it appears; 0 for before the first. */
  readonly afterStep: number;
}

/** A given plan that a chain starts with instead of making its own. */
export interface PlanTemplate {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
}
