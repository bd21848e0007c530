/** Whether a chain can begin with the plan that it is given. */

import { nearest } from '../../core/lib/nearest.js';
import type { PlanTemplate } from '../../core/model/plan.js';
import { problemWithPlan } from '../../core/plan/check-plan.js';
import { RequestError } from '../errors/errors.js';

interface Planning {
  readonly name: string;
  /** Absent where the definition is elsewhere: its worker sees then. */
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
}

/** @throws {RangeError} for a plan that cannot be worked by, or that the agent would not look at */
export function checkPlan({ name, strategy, tools }: Planning, plan: PlanTemplate | undefined): void {
  if (plan === undefined) return;
  const wrong = problemWithPlan(plan);
  if (wrong !== null) throw new RequestError(`The plan cannot be worked by: ${wrong}.`);
  checkConfirmed(plan, tools?.map((tool) => tool.name) ?? []);
  if (strategy === undefined || strategy.name === 'plan') return;
  throw new RequestError(
    `${name} does not work by a plan: its strategy is '${strategy.name}'. Give it \`strategy: 'plan'\`, or start it without one.`,
  );
}

/** A name that is misspelt would have nothing confirmed. One of another agent's tools is no fault: there is nothing to confirm. */
function checkConfirmed({ tasks }: PlanTemplate, tools: readonly string[]): void {
  for (const { id, confirm } of tasks) {
    const unknown = confirm.find((tool) => !tools.includes(tool) && nearest(tool, tools) !== null);
    if (unknown === undefined) continue;
    throw new RequestError(
      `The plan cannot be worked by: ${id} wants calls of ${unknown} confirmed, which is no tool of the agent's; you may mean ${nearest(unknown, tools)}.`,
    );
  }
}
