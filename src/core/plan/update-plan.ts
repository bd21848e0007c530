/**
 * What a reply says of the plan: which task is begun, completed or failed, what is planned anew, and whether words alone are
 * a task's result, a look back, or the answer. All of it is taken in its order, before any tool is run.
 *
 * 1. A call of a control tool is answered here and changes nothing but the plan. All others are for a task at work; where
 *    none is, the first that is available begins.
 * 2. A chain has a plan once its first reply is taken: the goal as the one task, if need be.
 */

import { toValueText } from '../lib/json.js';
import type { AgentSnapshot, PlanOptions } from '../model/agent.js';
import type { CallStatus } from '../model/chain.js';
import type { ModelReply } from '../model/fact.js';
import type { PlanningState } from '../model/plan.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import type { ChainState } from '../model/state.js';
import { listActiveTasks, listOpenTasks } from '../model/tasks.js';
import { findControlTool } from '../state/control-tools.js';
import { type ChainEntry, createNoticeEntry } from '../state/entry.js';
import { notRunText } from '../state/stop.js';
import {
  addFirstPlan,
  applyControlCall,
  applyFinish,
  findAcceptedFinish,
  getFinishResult,
  isFinishCall,
  renderFinishRefusal,
} from './control-calls.js';
import { beginFirstAvailable, ensurePlan, type PlanDraft } from './draft.js';
import { renderPlan } from './guide.js';
import { completeTask } from './task-changes.js';

/** What the plan makes of a call: an answer to a control tool, or the task that a tool is called for. */
export type PlannedCall =
  | { readonly kind: 'control'; readonly status: CallStatus; readonly text: string }
  | { readonly kind: 'tool'; readonly task: string | null };

export interface PlanUpdate {
  readonly state: ChainState;
  /** With words that are no answer as a thought, and with an accepted `finish` as the answer. */
  readonly reading: Reading;
  /** In the order of the reading's calls; empty where the chain goes by no plan. */
  readonly calls: readonly PlannedCall[];
  readonly entries: readonly ChainEntry[];
}

/** A reply with its reading written out. */
type PlanReply = Pick<ModelReply, 'reusedPlan'> & { readonly reading: Reading };

export function updatePlan(state: ChainState, agent: AgentSnapshot, said: PlanReply): PlanUpdate {
  const { planning } = state;
  const { reading } = said;
  if (planning === null || agent.strategy.name !== 'plan') return { state, reading, calls: [], entries: [] };
  // What was to be corrected is said again.
  if (reading.problem !== null) return { state, reading, calls: [], entries: [] };
  return state.stop === null ? updateFromReply(state, planning, agent.strategy, said) : ignoreReply(state, reading);
}

/** The chain is ending: an answer may come too late, and nothing else counts any more. */
function ignoreReply(state: ChainState, reading: Reading): PlanUpdate {
  const finish = reading.calls.find(isFinishCall);
  const calls = reading.calls.map(({ tool }): PlannedCall => {
    return findControlTool(tool) === null
      ? { kind: 'tool', task: null }
      : { kind: 'control', status: 'not_run', text: notRunText };
  });
  const answer = finish === undefined ? reading.answer : getFinishResult(finish.input);
  return { state, reading: { ...reading, answer }, calls, entries: [] };
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
  const begun: PlanDraft = { goal, options, plan: state.plan, lastNamedTask: null, failed: [], notes: [], notices: [] };
  const draft = reusedPlan === undefined ? begun : addReusedPlan(begun, reusedPlan);
  const said = reading.calls.length > 0 ? applyCalls(draft, reading) : applyText(draft, planning, reading);
  return toPlanUpdate(state, planning, said);
}

function addReusedPlan(draft: PlanDraft, tasks: unknown): PlanDraft {
  const made = draft.plan === null ? addFirstPlan(draft, tasks, 'reused') : null;
  return made === null ? draft : { ...made.draft, notes: [renderPlan(made.draft.plan)] };
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
    const refused: PlannedCall = { kind: 'control', status: 'error', text: renderFinishRefusal(all) };
    return {
      draft: all,
      reading,
      calls: calls.map((call, at) => (reading.calls[at] && isFinishCall(reading.calls[at]) ? refused : call)),
    };
  }
  // The chain ends here: the other calls are kept, so that it can be seen that they were not run.
  const others = reading.calls.map((call) => !isFinishCall(call));
  return {
    draft: applyFinish(draft, finish),
    reading: { ...reading, calls: reading.calls.filter((_, at) => others[at]), answer: getFinishResult(finish.input) },
    calls: calls.filter((_, at) => others[at]),
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

/** Invariant 1. It is for the task that the reply named last, else for one at work that lists the tool, else for the newest. */
function assignToolCall(before: PlanDraft, tool: string): { draft: PlanDraft; call: PlannedCall } {
  const draft = ensurePlan(before);
  const busy = listActiveTasks(draft.plan);
  const named = busy.find(({ id }) => id === draft.lastNamedTask);
  const task = named ?? busy.find(({ tools }) => tools.includes(tool)) ?? busy.at(-1);
  if (task !== undefined) return { draft, call: { kind: 'tool', task: task.id } };
  const begun = beginFirstAvailable(draft);
  const id = listActiveTasks(begun.plan).at(-1)?.id ?? null;
  const told = id === null ? [] : [`This was taken as work on ${id}: say by \`complete_task\` when it is done.`];
  return { draft: { ...begun, notes: [...begun.notes, ...told] }, call: { kind: 'tool', task: id } };
}

/** Words without any call. */
function applyText(before: PlanDraft, { isReflecting }: PlanningState, reading: Reading): DraftUpdate {
  const draft = ensurePlan(before);
  const taken: DraftUpdate = { draft, reading, calls: [] };
  if (reading.answer === null) return taken;
  const thought: Reading = { ...reading, thought: toValueText(reading.answer), answer: null };
  if (before.plan === null || isReflecting) return { ...taken, reading: thought };
  if (listOpenTasks(draft.plan).length === 0) return taken;
  const begun = listActiveTasks(draft.plan).length > 0 ? draft : beginFirstAvailable(draft);
  const task = listActiveTasks(begun.plan).at(-1);
  if (task === undefined) return { ...taken, reading: thought };
  const { plan } = completeTask(begun.plan, task.id, toValueText(reading.answer));
  // The result of the one task is the answer.
  const said = plan.tasks.length === 1 ? reading : thought;
  const told = [...begun.notes, `This was taken as the result of ${task.id}.`];
  return { draft: { ...begun, plan, notes: told }, reading: said, calls: [] };
}

function toPlanUpdate(before: ChainState, planning: PlanningState, { draft, reading, calls }: DraftUpdate): PlanUpdate {
  const { plan, failed, notes: lines } = draft;
  const changed = plan !== before.plan;
  const kind = before.plan === null ? 'planning' : planning.isReflecting ? 'reflection' : 'work';
  const state: ChainState = {
    ...before,
    plan,
    planning: {
      ...planning,
      isReflecting: false,
      step: { kind, changed, failed, notes: lines, isTextOnly: calls.length === 0 },
    },
    novelty: changed ? { ...before.novelty, hasNews: true } : before.novelty,
  };
  const told = draft.notices.map((text) => createNoticeEntry(state, 'plan_changed', text));
  const entries: readonly ChainEntry[] =
    changed && plan !== null ? [{ type: 'plan-changed', at: state.now, plan }, ...told] : told;
  return { state, reading, calls, entries };
}
