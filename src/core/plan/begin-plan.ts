/** The plan that a chain by the strategy `plan` begins with, once its agent is known, and what the model is first told. */

import { asText, isObject } from '../lib/json.js';
import { nothingDone, type Plan, type Planning } from '../model/plan.js';
import type { State } from '../model/state.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { notice } from '../state/entry.js';
import { stopWith } from '../state/stop.js';
import { tasksText } from './draft.js';
import { guided, nextText, planRequest, planText } from './guide.js';
import { firstPlan, planOfGoal } from './revise.js';

const nothingPlanned: Planning = { worked: 0, reflecting: false, failing: [], step: nothingDone };

/** A chain that was forked goes on with the plan of its origin. */
export function beginPlan(before: State): Advance {
  const { agent } = before;
  if (agent === null) return emit(before);
  const { strategy } = agent;
  const template: unknown = before.input?.plan;
  if (strategy.name !== 'plan') {
    if (template === undefined || before.stop !== null) return emit(before);
    return stopWith(before, 'failure', { code: 'unplanned_agent', agent: agent.name, strategy: strategy.name });
  }
  if (before.planning !== null) return emit(before);
  const state: State = { ...before, planning: nothingPlanned };
  if (isObject(template))
    return beginWith(state, firstPlan(template.tasks, 'template')?.plan ?? null, nameOf(template));
  if (!strategy.planning) return beginWith(state, planOfGoal(asText(state.input?.task ?? '')), null);
  return guided(state, planRequest);
}

function nameOf({ name }: { readonly name?: unknown }): string | null {
  return typeof name === 'string' ? name : null;
}

/** @param name of the template that it is from */
function beginWith(before: State, plan: Plan | null, name: string | null): Advance {
  if (plan === null) return stopWith(before, 'failure', { code: 'empty_plan' });
  const state: State = { ...before, plan };
  const told = emit(
    state,
    { type: 'planned', at: state.now, plan },
    ...(name === null ? [] : [notice(state, 'plan', `The plan ${name}: ${tasksText(plan.tasks)}.`)]),
  );
  if (plan.source === 'goal') return told;
  return andThen(told, (noticed) => guided(noticed, `${planText(plan)}\n${nextText(plan)}`));
}
