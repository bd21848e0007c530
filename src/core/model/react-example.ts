/** A solved task that a `react` agent's model sees in its system prompt, as an example of the format and of good work. */

import type { Json, JsonObject } from '../lib/index.js';

export interface ReactExample {
  readonly task: string;
  /** Empty for a task that needs no tool. */
  readonly steps: readonly ReactExampleStep[];
  /** The thought before the answer; absent without one. */
  readonly thought?: string;
  readonly answer: string;
}

export interface ReactExampleStep {
  /** Absent without one: only for agents that require no thought. */
  readonly thought?: string;
  /** Name of a tool of the agent. */
  readonly action: string;
  readonly input: JsonObject;
  readonly observation: Json;
}
