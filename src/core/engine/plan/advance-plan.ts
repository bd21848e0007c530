/**
 * The rules of the turn for a chain with a plan: create the plan, fail stuck tasks, propose fallbacks, request a
 * reflection, and guide the model.
 *
 * 1. The model is never asked to reflect twice in a row.
 * 2. Guidance contains only news: none while a task in progress continues.
 */

import { isObject, toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  defaults,
  emptyPlanStep,
  type FailingTool,
  type Flight,
  findTask,
  listOpenTasks,
  type PendingCall,
  type Plan,
  type PlanningState,
  type PlanOptions,
  type PlanStep,
} from '../../model/index.js';
import { type Advance, andThen, emit, unchanged } from '../state/advance.js';
import { createNoticeEntry } from '../state/entry.js';
import { findEndedCalls } from '../state/flight.js';
import { stopChain } from '../state/stop.js';
import { createFirstPlan, createGoalPlan, formatTasks } from './draft.js';
import {
  emitGuidance,
  planPrompt,
  proposeFallback,
  renderContinueHint,
  renderNextTasks,
  renderPlan,
  renderReflectPrompt,
} from './guide.js';
import { failTask } from './task-changes.js';

const initialPlanning: PlanningState = {
  stepsSinceReflection: 0,
  isReflecting: false,
  failing: [],
  step: emptyPlanStep,
};

/** Creates the plan once the agent is known. A fork continues the plan of its origin. */
export function beginPlan(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null) return unchanged(before);
  const { strategy } = agent;
  const template: unknown = before.input?.plan;
  if (strategy.name !== 'plan') {
    if (template === undefined || before.stop !== null) return unchanged(before);
    return stopChain(before, 'failure', { code: 'unplanned_agent', agent: agent.name, strategy: strategy.name });
  }
  if (before.planning !== null) return unchanged(before);
  const state: ChainState = changeState(before, { planning: initialPlanning });
  if (isObject(template))
    return beginWithPlan(state, createFirstPlan(template.tasks, 'template')?.plan ?? null, findTemplateName(template));
  if (!strategy.planning) return beginWithPlan(state, createGoalPlan(toValueText(state.input?.task ?? '')), null);
  return emitGuidance(state, planPrompt);
}

function findTemplateName({ name }: { readonly name?: unknown }): string | null {
  return typeof name === 'string' ? name : null;
}

/** @param name of the plan template; null without one */
function beginWithPlan(before: ChainState, plan: Plan | null, name: string | null): Advance {
  if (plan === null) return stopChain(before, 'failure', { code: 'empty_plan' });
  const state: ChainState = changeState(before, { plan });
  const advance = emit(
    state,
    { type: 'plan-changed', at: state.now, plan },
    ...(name === null
      ? []
      : [createNoticeEntry(state, 'plan_changed', `The plan ${name}: ${formatTasks(plan.tasks)}.`)]),
  );
  if (plan.source === 'goal') return advance;
  return andThen(advance, (noticed) => emitGuidance(noticed, `${renderPlan(plan)}\n${renderNextTasks(plan)}`));
}

/** Updates the plan when a step ends. */
export function advancePlan(state: ChainState): Advance {
  const { agent, plan, planning } = state;
  const calls = findEndedCalls(state);
  if (calls === null || state.stop !== null || agent === null) return unchanged(state);
  const { strategy } = agent;
  if (strategy.name !== 'plan' || plan === null || planning === null) return unchanged(state);
  const failing = updateFailingTools(planning.failing, calls);
  const update = failStuckTasks(plan, failing);
  const failed = [...new Set([...planning.step.failed, ...update.failed])];
  const fell = applyFallbacks(update.plan, failed, agent, strategy);
  const worked = planning.stepsSinceReflection + (planning.step.kind === 'work' ? 1 : 0);
  const reflecting = shouldReflect(strategy, planning, { plan: fell.plan, worked, failed });
  const next: ChainState = changeState(state, {
    plan: fell.plan,
    planning: {
      stepsSinceReflection: reflecting ? 0 : worked,
      isReflecting: reflecting,
      failing: failing.filter(({ task }) => findTask(fell.plan, task)?.status === 'in_progress'),
      step: emptyPlanStep,
    },
    // A wait replaces the calls, so the rule that ends a step has nothing left to do.
    flight: fell.wait ?? state.flight,
  });
  const changed = fell.plan !== plan;
  const advance = emit(
    next,
    ...(changed ? [{ type: 'plan-changed' as const, at: state.now, plan: fell.plan }] : []),
    ...fell.notices.map((text) => createNoticeEntry(state, 'plan_changed', text)),
  );
  const lines = [
    ...planning.step.notes,
    ...fell.guides,
    renderNextStep(fell.plan, { ...planning.step, changed: changed || planning.step.changed }),
    reflecting ? renderReflectPrompt(fell.plan) : '',
  ].filter((line) => line !== '');
  return lines.length === 0 ? advance : andThen(advance, (noticed) => emitGuidance(noticed, lines.join('\n')));
}

/** Invariant 2. A reply without work always gets a hint: it has no observation to continue from. */
function renderNextStep(plan: Plan, { needsHint, changed }: PlanStep): string {
  if (needsHint) return renderContinueHint(plan);
  return changed ? renderNextTasks(plan) : '';
}

/** Counts consecutive failures: for each task, of the tool that failed last. */
function updateFailingTools(before: readonly FailingTool[], calls: readonly PendingCall[]): readonly FailingTool[] {
  return calls.reduce<readonly FailingTool[]>((failing, { task, tool, progress }) => {
    if (task === undefined) return failing;
    const others = failing.filter((failure) => failure.task !== task);
    if (progress !== 'failed') return others;
    const last = failing.find((failure) => failure.task === task);
    return [...others, { task, tool, times: last?.tool === tool ? last.times + 1 : 1 }];
  }, before);
}

function failStuckTasks(before: Plan, failing: readonly FailingTool[]): { plan: Plan; failed: readonly string[] } {
  const stuck = failing.filter(
    ({ task, times }) => times >= defaults.taskToolFailures && findTask(before, task)?.status === 'in_progress',
  );
  const plan = stuck.reduce((all, { task, tool, times }) => {
    return failTask(all, task, `${tool} failed ${times} times in a row`).plan;
  }, before);
  return { plan, failed: stuck.map(({ task }) => task) };
}

interface FallbackSummary {
  readonly plan: Plan;
  readonly notices: readonly string[];
  readonly guides: readonly string[];
  readonly wait: Extract<Flight, { kind: 'taskRetry' }> | null;
}

/** Proposes a fallback for each failed task, except where the model revised the plan in the same reply. */
function applyFallbacks(
  before: Plan,
  failed: readonly string[],
  agent: AgentSnapshot,
  options: PlanOptions,
): FallbackSummary {
  return failed.reduce<FallbackSummary>(
    (fell, id) => {
      const task = findTask(fell.plan, id);
      if (task?.status !== 'failed') return fell;
      const { plan, notice, guide, retryDelayMs } = proposeFallback(fell.plan, task, agent, options);
      const longer = retryDelayMs > (fell.wait?.retryDelayMs ?? 0);
      return {
        plan,
        notices: [...fell.notices, notice],
        guides: [...fell.guides, guide],
        wait: longer ? { kind: 'taskRetry', retryDelayMs, task: id } : fell.wait,
      };
    },
    { plan: before, notices: [], guides: [], wait: null },
  );
}

/** Invariant 1. */
function shouldReflect(
  { reflection, reflectEvery }: PlanOptions,
  { step }: PlanningState,
  { plan, worked, failed }: { plan: Plan; worked: number; failed: readonly string[] },
): boolean {
  if (!reflection || step.kind === 'reflection' || listOpenTasks(plan).length === 0) return false;
  return worked >= reflectEvery || failed.length > 0;
}
