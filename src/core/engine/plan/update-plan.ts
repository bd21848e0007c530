/**
 * Applies a reply to the plan, in order and before any tool is executed: control calls start, complete, fail and revise
 * tasks; a reply without calls is a task's result, a reflection, or the answer.
 *
 * 1. Control calls are settled here and change only the plan. Every other call belongs to a task in progress; without one,
 *    the first available task starts.
 * 2. A chain has a plan after its first reply: if necessary, the goal as the only task.
 */

import { toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type CallStatus,
  type ChainState,
  changeState,
  emptyPlanStep,
  listActiveTasks,
  listOpenTasks,
  type ModelReply,
  type PlanningState,
  type PlanOptions,
  type Reading,
  type RequestedCall,
  type RequestRules,
  type ReusedPlan,
} from '../../model/index.js';
import { renderFinishNeeded } from '../state/answer-problem.js';
import { findControlTool, readFinish } from '../state/control-tools.js';
import { type ChainEntry, createNoticeEntry } from '../state/entry.js';
import { notRunText } from '../state/stop.js';
import {
  applyControlCall,
  applyFinish,
  findAcceptedFinish,
  isFinishCall,
  renderFinishRejection,
} from './control-calls.js';
import { beginFirstAvailable, ensurePlan, type PlanDraft } from './draft.js';
import { addReusedPlan, createReuseCall, createReuseRules } from './reused-plan.js';
import { completeTask } from './task-changes.js';

/** A call as the plan sees it: a control call with its observation, a tool call with its task, or a plan to approve. */
export type PlannedCall =
  | { readonly kind: 'control'; readonly status: CallStatus; readonly text: string }
  | { readonly kind: 'tool'; readonly task: string | null }
  /** A plan of an earlier chain, which a person must approve. */
  | { readonly kind: 'approval'; readonly rules: RequestRules };

/** The finish call that ends the chain, or would end it if a person had not sent a message. */
export const receivedFinish: PlannedCall = { kind: 'control', status: 'ok', text: 'Received.' };

export interface PlanUpdate {
  readonly state: ChainState;
  /** Text that is not the answer becomes the thought; an accepted `finish` becomes the answer. */
  readonly reading: Reading;
  /** In the order of the reading's calls; empty without the strategy `plan`. */
  readonly calls: readonly PlannedCall[];
  readonly entries: readonly ChainEntry[];
}

/** A reply with its quotes resolved. */
type PlanReply = Pick<ModelReply, 'reusedPlan'> & { readonly reading: Reading };

export function updatePlan(state: ChainState, agent: AgentSnapshot, reply: PlanReply): PlanUpdate {
  const { planning } = state;
  const { reading } = reply;
  if (planning === null || agent.strategy.name !== 'plan') return { state, reading, calls: [], entries: [] };
  // The corrected reply follows.
  if (reading.problem !== null) return { state, reading, calls: [], entries: [] };
  if (state.stop !== null) return ignoreReply(state, reading);
  return requireFinish(updateFromReply(state, planning, agent.strategy, reply), agent);
}

/** A text that would end the chain does not match the output schema, or it would have been read as a value. */
function requireFinish(update: PlanUpdate, agent: AgentSnapshot): PlanUpdate {
  const { reading } = update;
  if (agent.outputSchema === undefined || typeof reading.answer !== 'string' || reading.failure !== undefined)
    return update;
  return { ...update, reading: { ...reading, answer: null, problem: renderFinishNeeded(agent) } };
}

/** The chain is ending: only a late answer is used. */
function ignoreReply(state: ChainState, reading: Reading): PlanUpdate {
  const finish = reading.calls.find(isFinishCall);
  const calls = reading.calls.map((call): PlannedCall => {
    if (call === finish) return receivedFinish;
    return findControlTool(call.tool) === null
      ? { kind: 'tool', task: null }
      : { kind: 'control', status: 'not_run', text: notRunText };
  });
  return {
    state,
    reading: finish === undefined ? reading : { ...reading, ...readFinish(finish.input) },
    calls,
    entries: [],
  };
}

interface DraftUpdate extends Pick<PlanUpdate, 'reading' | 'calls'> {
  readonly draft: PlanDraft;
}

function updateFromReply(
  state: ChainState,
  planning: PlanningState,
  options: PlanOptions,
  { reading, reusedPlan }: PlanReply,
): PlanUpdate {
  const goal = state.input?.task ?? '';
  const planDraft: PlanDraft = {
    goal,
    options,
    plan: state.plan,
    lastNamedTask: null,
    failed: [],
    notes: [],
    notices: [],
  };
  const reused = state.plan === null ? reusedPlan : undefined;
  if (reused !== undefined && options.confirmReuse) return requestApproval(state, planning, { reading, reused });
  const draft = reused === undefined ? planDraft : (addReusedPlan(planDraft, reused) ?? planDraft);
  const update = reading.calls.length > 0 ? applyCalls(draft, reading) : applyText(draft, planning, reading);
  return toPlanUpdate(state, planning, update);
}

/** The chain has no plan until a person has decided. */
function requestApproval(
  state: ChainState,
  planning: PlanningState,
  { reading, reused }: { readonly reading: Reading; readonly reused: ReusedPlan },
): PlanUpdate {
  return {
    state: changeState(state, {
      planning: { ...planning, isReflecting: false, step: { ...emptyPlanStep, kind: 'planning' } },
    }),
    reading: { ...reading, calls: [createReuseCall(reused)] },
    calls: [{ kind: 'approval', rules: createReuseRules(reused) }],
    entries: [],
  };
}

function applyCalls(before: PlanDraft, reading: Reading): DraftUpdate {
  let draft = before;
  const calls: PlannedCall[] = [];
  for (const call of reading.calls) {
    const taken = applyCall(draft, call);
    draft = taken.draft;
    calls.push(taken.call);
  }
  const finish = findAcceptedFinish(draft, reading.calls);
  if (finish === null) {
    const all = ensurePlan(draft);
    const rejection: PlannedCall = { kind: 'control', status: 'error', text: renderFinishRejection(all) };
    return {
      draft: all,
      reading,
      calls: calls.map((call, at) => (reading.calls[at] && isFinishCall(reading.calls[at]) ? rejection : call)),
    };
  }
  // The chain ends here. The other calls are recorded as not run.
  return {
    draft: applyFinish(draft, finish),
    reading: { ...reading, ...readFinish(finish.input) },
    calls: calls.map((call, at) => (reading.calls[at] === finish ? receivedFinish : call)),
  };
}

function applyCall(
  draft: PlanDraft,
  { tool, input, rejected }: RequestedCall,
): { draft: PlanDraft; call: PlannedCall } {
  const name = findControlTool(tool);
  if (name === null) return assignToolCall(draft, tool);
  if (rejected !== null) return { draft, call: { kind: 'control', status: 'error', text: rejected } };
  if (name === 'finish') return { draft, call: { kind: 'control', status: 'not_run', text: notRunText } };
  const done = applyControlCall(draft, name, input);
  return { draft: done.draft, call: { kind: 'control', status: done.ok ? 'ok' : 'error', text: done.text } };
}

/** Invariant 1. Assigns a call to the task started last in the reply, else to one that lists the tool, else to the newest. */
function assignToolCall(before: PlanDraft, tool: string): { draft: PlanDraft; call: PlannedCall } {
  const draft = ensurePlan(before);
  const busy = listActiveTasks(draft.plan);
  const lastTask = busy.find(({ id }) => id === draft.lastNamedTask);
  const task = lastTask ?? busy.find(({ tools }) => tools.includes(tool)) ?? busy.at(-1);
  if (task !== undefined) return { draft, call: { kind: 'tool', task: task.id } };
  const active = beginFirstAvailable(draft);
  const id = listActiveTasks(active.plan).at(-1)?.id ?? null;
  const notes = id === null ? [] : [`This counts as work on ${id}. Call \`complete_task\` when it is done.`];
  return { draft: { ...active, notes: [...active.notes, ...notes] }, call: { kind: 'tool', task: id } };
}

/** Applies a reply without calls. */
function applyText(before: PlanDraft, { isReflecting }: PlanningState, reading: Reading): DraftUpdate {
  const draft = ensurePlan(before);
  const taken: DraftUpdate = { draft, reading, calls: [] };
  if (reading.answer === null) return taken;
  const thought: Reading = { ...reading, thought: toValueText(reading.answer), answer: null };
  if (before.plan === null || isReflecting) return { ...taken, reading: thought };
  if (listOpenTasks(draft.plan).length === 0) return taken;
  const active = listActiveTasks(draft.plan).length > 0 ? draft : beginFirstAvailable(draft);
  const task = listActiveTasks(active.plan).at(-1);
  if (task === undefined) return { ...taken, reading: thought };
  const { plan } = completeTask(active.plan, task.id, toValueText(reading.answer));
  // The result of the only task is the answer.
  const updated = plan.tasks.length === 1 ? reading : thought;
  const notes = [...active.notes, `This counts as the result of ${task.id}.`];
  return { draft: { ...active, plan, notes }, reading: updated, calls: [] };
}

function isWithoutWork(calls: readonly RequestedCall[]): boolean {
  return calls.every(({ tool }) => findControlTool(tool) === 'review_plan');
}

function toPlanUpdate(before: ChainState, planning: PlanningState, { draft, reading, calls }: DraftUpdate): PlanUpdate {
  const { plan, failed, notes: lines } = draft;
  const changed = plan !== before.plan;
  const kind = before.plan === null ? 'planning' : planning.isReflecting ? 'reflection' : 'work';
  const state: ChainState = changeState(before, {
    plan,
    planning: {
      ...planning,
      isReflecting: false,
      step: { kind, changed, failed, notes: lines, needsHint: isWithoutWork(reading.calls) },
    },
    stall: changed ? { ...before.stall, hasProgress: true } : before.stall,
  });
  const notices = draft.notices.map(({ code, text }) => createNoticeEntry(state, code, text));
  const entries: readonly ChainEntry[] =
    changed && plan !== null ? [{ type: 'plan-changed', at: state.now, plan }, ...notices] : notices;
  return { state, reading, calls, entries };
}
