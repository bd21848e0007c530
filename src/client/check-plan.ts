/** Whether a chain can begin with the plan that it is given. */

import { problemWithPlan } from '../core/plan/check-plan.js';
import type { PlanTemplate } from '../core/plan/plan.js';
import { RequestError } from './errors.js';

interface Planning {
  readonly name: string;
  /** Absent where the definition is elsewhere: its worker sees then. */
  readonly strategy?: { readonly name: string };
}

/** @throws {RangeError} for a plan that cannot be worked by, or that the agent would not look at */
export function checkPlan({ name, strategy }: Planning, plan: PlanTemplate | undefined): void {
  if (plan === undefined) return;
  const wrong = problemWithPlan(plan);
  if (wrong !== null) throw new RequestError(`The plan cannot be worked by: ${wrong}.`);
  if (strategy === undefined || strategy.name === 'plan') return;
  throw new RequestError(
    `${name} does not work by a plan: its strategy is '${strategy.name}'. Give it \`strategy: 'plan'\`, or start it without one.`,
  );
}
