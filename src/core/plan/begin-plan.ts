/** The plan that a chain by the strategy `plan` begins with, once its agent is known, and what the model is first told. */

import { asText, isObject } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import { nothingDone, type Plan, type Planning } from '../model/plan.js';
import type { State } from '../model/state.js';
import { type Entry, notice } from '../state/entry.js';
import { type Advance, stopWith } from '../state/stop.js';
import { tasksText } from './draft.js';
import { guided, nextText, planRequest, planText } from './guide.js';
import { firstPlan, planOfGoal } from './revise.js';

const nothingPlanned: Planning = { worked: 0, reflecting: false, failing: [], step: nothingDone };

/** A chain that was forked goes on with the plan of its origin. */
export function beginPlan(before: State, agent: AgentSnapshot): Advance {
  const { strategy } = agent;
  const template: unknown = before.input?.plan;
  if (strategy.name !== 'plan') {
    if (template === undefined || before.stop !== null) return { state: before, entries: [] };
    const why = `The chain was started with a plan, and ${agent.name} works by the strategy ${strategy.name}. Give the agent the strategy plan.`;
    return stopWith(before, 'failure', why);
  }
  if (before.planning !== null) return { state: before, entries: [] };
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
  if (plan === null) return stopWith(before, 'failure', 'The plan that the chain was started with has no task.');
  const state: State = { ...before, plan };
  const told: readonly Entry[] = [
    { type: 'planned', at: state.now, plan },
    ...(name === null ? [] : [notice(state, 'plan', `The plan ${name}: ${tasksText(plan.tasks)}.`)]),
  ];
  if (plan.source === 'goal') return { state, entries: told };
  const guide = guided(state, `${planText(plan)}\n${nextText(plan)}`);
  return { state: guide.state, entries: [...told, ...guide.entries] };
}
