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

/** Characters of the lists in the status. */
export const maxStatusLength = 1_000;

const stepLineBytes = 128;
/** A character has at most 3 bytes in UTF-8; the rest is the label, its marks and the cut. */
const statusBytes = 3 * maxStatusLength + 256;

/** Returns the most UTF-8 bytes of the status in a request. */
export function boundStatusBytes({
  promptParts: parts = [],
}: {
  readonly promptParts?: readonly PromptPart[];
}): number {
  const hasLists = parts.includes('tasks') || parts.includes('progress');
  if (hasLists) return stepLineBytes + statusBytes;
  return parts.includes('steps') ? stepLineBytes : 0;
}
