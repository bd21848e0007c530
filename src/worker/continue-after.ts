/** When a worker's chains go on in a new run, besides when the server suggests it: as it is told, or its environment says. */

import type { ContinueAfter } from '../core/model/limits.js';

const variables = { events: 'LONGHAND_CONTINUE_AFTER_EVENTS', steps: 'LONGHAND_CONTINUE_AFTER_STEPS' } as const;

/** Null where nothing says so. @throws RangeError for what is no whole number above 0 */
export function continueAfterOf(
  asked: ContinueAfter | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ContinueAfter | null {
  const after: ContinueAfter = asked ?? {
    ...(env[variables.events] ? { events: Number(env[variables.events]) } : {}),
    ...(env[variables.steps] ? { steps: Number(env[variables.steps]) } : {}),
  };
  for (const [what, count] of Object.entries(after)) {
    if (Number.isSafeInteger(count) && count > 0) continue;
    throw new RangeError(
      `A chain cannot go on in a new run after ${count} ${what}: give a whole number above 0 (\`continueAfter\`, or ${variables[what as keyof typeof variables]}).`,
    );
  }
  return Object.keys(after).length === 0 ? null : after;
}
