/** What a user writes to make a workflow: a plan for tasks of one kind, with places for what differs between them. */

import type { z } from 'zod';

export interface WorkflowStep {
  /** Short, and its own within the workflow: `reproduce`. */
  readonly id: string;
  /** What is done when the step is completed. */
  readonly description: string;
  /** Ids of the steps that must be completed first. Default: the step before; `[]` for none. */
  readonly dependsOn?: readonly string[];
  /** Names of the tools that it will most likely need. */
  readonly tools?: readonly string[];
  /** Names of the tools whose calls a person approves while this step is worked on, whatever else says. */
  readonly confirm?: readonly string[];
}

export interface WorkflowDefinition<S extends z.ZodType = z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 64: what it is called on the command line. */
  readonly name: string;
  /** For people: what it does, in a sentence. */
  readonly description: string;
  /** An object schema; describe its members. */
  readonly parameters: S;
  /**
   * The task that the agent is given. `{error}` stands for the parameter of that name, here and in the steps. A line that
   * has a parameter which was left out is left out as a whole.
   */
  readonly goal: string;
  readonly steps: readonly WorkflowStep[];
}
