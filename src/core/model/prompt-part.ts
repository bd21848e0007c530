/** Parts that an agent adds to its prompts, and the bound of those that change from step to step (L6). */

/** In the system prompt, and equal in each request of a chain: providers cache it. */
const guideParts = ['accomplished', 'justification', 'step_by_step', 'specific', 'example'] as const;

/** In the last message of a request: they change with each step. */
const statusParts = ['steps', 'tasks', 'progress'] as const;

export const promptParts = [...guideParts, ...statusParts] as const;

/**
 * `accomplished`, `justification`: questions that the model answers before each action. `step_by_step`, `specific`: how it works.
 * `example`: a call of one of the agent's own tools. `steps`: the number of the step, and how many are left. `tasks`: the tasks
 * of the plan, by their state. `progress`: which tools have returned results, and what has failed lately.
 */
export type PromptPart = (typeof promptParts)[number];

/** The most UTF-8 bytes of the lists in the status, and of what observations add to it. */
export const statusBytes = { lists: 1_000, reflection: 2_400 };

/** The number of the step, and the label of the status with its marks. */
const stepLineBytes = 128;
const labelBytes = 64;

/** Returns the most UTF-8 bytes of the status in a request. */
export function boundStatusBytes({ promptParts: parts = [], reflection }: StatusOptions): number {
  const bytes =
    (parts.includes('steps') ? stepLineBytes : 0) +
    (parts.includes('tasks') || parts.includes('progress') ? statusBytes.lists : 0) +
    (reflection === undefined ? 0 : statusBytes.reflection);
  return bytes === 0 ? 0 : bytes + labelBytes;
}

interface StatusOptions {
  readonly promptParts?: readonly PromptPart[];
  readonly reflection?: object;
}
