/**
 * The rules of the turn for a chain with a plan. The plan begins once the agent is known. When a step ends: whether a task
 * has failed by its tools, what is tried instead, whether it is time to look back, and what the model is told of all that.
 *
 * 1. The model is not asked to look back twice in a row.
 * 2. It is told only what it does not know: nothing, where a task is at work and goes on.
 */

import { asText, isObject } from '../lib/json.js';
import type { AgentSnapshot, PlanOptions } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import { type FailingTool, nothingDone, type Plan, type Planning, type PlanStep } from '../model/plan.js';
import type { Flight, PendingCall, State } from '../model/state.js';
import { open, taskOf } from '../model/tasks.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { notice } from '../state/entry.js';
import { endedCalls } from '../state/flight.js';
import { stopWith } from '../state/stop.js';
import { firstPlan, planOfGoal, tasksText } from './draft.js';
import { fallBack, goOnText, guided, nextText, planRequest, planText, reflectText } from './guide.js';
import { failTask } from './work.js';

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

export function advancePlan(state: State): Advance {
  const { agent, plan, planning } = state;
  const calls = endedCalls(state);
  if (calls === null || state.stop !== null || agent === null) return emit(state);
  const { strategy } = agent;
  if (strategy.name !== 'plan' || plan === null || planning === null) return emit(state);
  const failing = failingAfter(planning.failing, calls);
  const given = withFailedTools(plan, failing);
  const failed = [...new Set([...planning.step.failed, ...given.failed])];
  const fell = withFallbacks(given.plan, failed, agent, strategy);
  const worked = planning.worked + (planning.step.kind === 'work' ? 1 : 0);
  const reflecting = isTimeToReflect(strategy, planning, { plan: fell.plan, worked, failed });
  const next: State = {
    ...state,
    plan: fell.plan,
    planning: {
      worked: reflecting ? 0 : worked,
      reflecting,
      failing: failing.filter(({ task }) => taskOf(fell.plan, task)?.status === 'in_progress'),
      step: nothingDone,
    },
    flight: fell.wait ?? state.flight,
  };
  const changed = fell.plan !== plan;
  const told = emit(
    next,
    ...(changed ? [{ type: 'planned' as const, at: state.now, plan: fell.plan }] : []),
    ...fell.notices.map((text) => notice(state, 'plan', text)),
  );
  const lines = [
    ...planning.step.told,
    ...fell.guides,
    whatIsNext(fell.plan, { ...planning.step, changed: changed || planning.step.changed }),
    reflecting ? reflectText(fell.plan) : '',
  ].filter((line) => line !== '');
  return lines.length === 0 ? told : andThen(told, (noticed) => guided(noticed, lines.join('\n')));
}

/** Invariant 2. Who has asked for nothing has to be told something: it has no result to go on from. */
function whatIsNext(plan: Plan, { words, changed }: PlanStep): string {
  if (words) return goOnText(plan);
  return changed ? nextText(plan) : '';
}

/** In the order of the calls; of each task the tool that failed last. */
function failingAfter(before: readonly FailingTool[], calls: readonly PendingCall[]): readonly FailingTool[] {
  return calls.reduce<readonly FailingTool[]>((failing, { task, tool, progress }) => {
    if (task === undefined) return failing;
    const others = failing.filter((each) => each.task !== task);
    if (progress !== 'failed') return others;
    const last = failing.find((each) => each.task === task);
    return [...others, { task, tool, times: last?.tool === tool ? last.times + 1 : 1 }];
  }, before);
}

function withFailedTools(before: Plan, failing: readonly FailingTool[]): { plan: Plan; failed: readonly string[] } {
  const stuck = failing.filter(
    ({ task, times }) => times >= defaults.taskToolFailures && taskOf(before, task)?.status === 'in_progress',
  );
  const plan = stuck.reduce((all, { task, tool, times }) => {
    return failTask(all, task, `${tool} failed ${times} times in a row`).plan;
  }, before);
  return { plan, failed: stuck.map(({ task }) => task) };
}

interface FellBack {
  readonly plan: Plan;
  readonly notices: readonly string[];
  readonly guides: readonly string[];
  readonly wait: Flight | null;
}

/** What the model itself has made of a failure in the same reply needs no proposal. */
function withFallbacks(before: Plan, failed: readonly string[], agent: AgentSnapshot, options: PlanOptions): FellBack {
  return failed.reduce<FellBack>(
    (fell, id) => {
      const task = taskOf(fell.plan, id);
      if (task?.status !== 'failed') return fell;
      const { plan, notice: told, guide, waitMs } = fallBack(fell.plan, task, agent, options);
      const longer = waitMs > (fell.wait?.kind === 'retry' ? fell.wait.waitMs : 0);
      return {
        plan,
        notices: [...fell.notices, told],
        guides: [...fell.guides, guide],
        wait: longer ? { kind: 'retry', waitMs, running: false, task: id } : fell.wait,
      };
    },
    { plan: before, notices: [], guides: [], wait: null },
  );
}

/** Invariant 1. */
function isTimeToReflect(
  { reflection, reflectEvery }: PlanOptions,
  { step }: Planning,
  { plan, worked, failed }: { plan: Plan; worked: number; failed: readonly string[] },
): boolean {
  if (!reflection || step.kind === 'reflection' || open(plan).length === 0) return false;
  return worked >= reflectEvery || failed.length > 0;
}
