/**
 * What a reply says of the plan: which task is begun, completed or failed, what is planned anew, and whether words alone are
 * a task's result, a look back, or the answer. All of it is taken in its order, before any tool is run.
 *
 * 1. A call of a control tool is answered here and changes nothing but the plan. All others are for a task at work; where
 *    none is, the first that is available begins.
 * 2. A chain has a plan once its first reply is taken: the goal as the one task, if need be.
 */

import { asText } from '../lib/json.js';
import type { AgentSnapshot, PlanOptions } from '../model/agent.js';
import type { CallStatus } from '../model/chain.js';
import type { ModelReply } from '../model/fact.js';
import type { Planning } from '../model/plan.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import type { State } from '../model/state.js';
import { atWork, open } from '../model/tasks.js';
import { controlTool } from '../state/control-tools.js';
import { type Entry, notice } from '../state/entry.js';
import { notRun } from '../state/stop.js';
import { acceptedFinish, control, finishRefused, isFinish, resultIn, withFinish, withFirstPlan } from './control.js';
import { type Draft, planned, withTaskBegun } from './draft.js';
import { planText } from './guide.js';
import { completeTask } from './work.js';

/** What the plan makes of a call: an answer to a control tool, or the task that a tool is called for. */
export type PlannedCall =
  | { readonly kind: 'control'; readonly status: CallStatus; readonly text: string }
  | { readonly kind: 'tool'; readonly task: string | null };

export interface TakenPlan {
  readonly state: State;
  /** With words that are no answer as a thought, and with an accepted `finish` as the answer. */
  readonly reading: Reading;
  /** In the order of the reading's calls; empty where the chain goes by no plan. */
  readonly calls: readonly PlannedCall[];
  readonly entries: readonly Entry[];
}

/** A reply with its reading written out. */
type Said = Pick<ModelReply, 'reusedPlan'> & { readonly reading: Reading };

export function takePlan(state: State, agent: AgentSnapshot, said: Said): TakenPlan {
  const { planning } = state;
  const { reading } = said;
  if (planning === null || agent.strategy.name !== 'plan') return { state, reading, calls: [], entries: [] };
  // What was to be corrected is said again.
  if (reading.problem !== null) return { state, reading, calls: [], entries: [] };
  return state.stop === null ? take(state, planning, agent.strategy, said) : takeNothing(state, reading);
}

/** The chain is ending: an answer may come too late, and nothing else counts any more. */
function takeNothing(state: State, reading: Reading): TakenPlan {
  const finish = reading.calls.find(isFinish);
  const calls = reading.calls.map(({ tool }): PlannedCall => {
    return controlTool(tool) === null
      ? { kind: 'tool', task: null }
      : { kind: 'control', status: 'not_run', text: notRun };
  });
  const answer = finish === undefined ? reading.answer : resultIn(finish.input);
  return { state, reading: { ...reading, answer }, calls, entries: [] };
}

interface Taken extends Pick<TakenPlan, 'reading' | 'calls'> {
  readonly draft: Draft;
}

function take(state: State, planning: Planning, options: PlanOptions, { reading, reusedPlan }: Said): TakenPlan {
  const goal = state.input?.task ?? '';
  const begun: Draft = { goal, options, plan: state.plan, named: null, failed: [], told: [], notices: [] };
  const draft = reusedPlan === undefined ? begun : withReused(begun, reusedPlan);
  const said = reading.calls.length > 0 ? takeAll(draft, reading) : takeWords(draft, planning, reading);
  return asTaken(state, planning, said);
}

function withReused(draft: Draft, tasks: unknown): Draft {
  const made = draft.plan === null ? withFirstPlan(draft, tasks, 'reused') : null;
  return made === null ? draft : { ...made.draft, told: [planText(made.draft.plan)] };
}

function takeAll(before: Draft, reading: Reading): Taken {
  let draft = before;
  const calls: PlannedCall[] = [];
  for (const call of reading.calls) {
    const taken = takeCall(draft, call);
    draft = taken.draft;
    calls.push(taken.call);
  }
  const finish = acceptedFinish(draft, reading.calls);
  if (finish === null) {
    const all = planned(draft);
    const refused: PlannedCall = { kind: 'control', status: 'error', text: finishRefused(all) };
    return {
      draft: all,
      reading,
      calls: calls.map((call, at) => (reading.calls[at] && isFinish(reading.calls[at]) ? refused : call)),
    };
  }
  // The chain ends here: the other calls are kept, so that it can be seen that they were not run.
  const others = reading.calls.map((call) => !isFinish(call));
  return {
    draft: withFinish(draft, finish),
    reading: { ...reading, calls: reading.calls.filter((_, at) => others[at]), answer: resultIn(finish.input) },
    calls: calls.filter((_, at) => others[at]),
  };
}

function takeCall(draft: Draft, { tool, input, rejected }: RequestedCall): { draft: Draft; call: PlannedCall } {
  const name = controlTool(tool);
  if (name === null) return takeToolCall(draft, tool);
  if (rejected !== null) return { draft, call: { kind: 'control', status: 'error', text: rejected } };
  if (name === 'finish') return { draft, call: { kind: 'control', status: 'not_run', text: notRun } };
  const done = control(draft, name, input);
  return { draft: done.draft, call: { kind: 'control', status: done.ok ? 'ok' : 'error', text: done.text } };
}

/** Invariant 1. It is for the task that the reply named last, else for one at work that lists the tool, else for the newest. */
function takeToolCall(before: Draft, tool: string): { draft: Draft; call: PlannedCall } {
  const draft = planned(before);
  const busy = atWork(draft.plan);
  const named = busy.find(({ id }) => id === draft.named);
  const task = named ?? busy.find(({ tools }) => tools.includes(tool)) ?? busy.at(-1);
  if (task !== undefined) return { draft, call: { kind: 'tool', task: task.id } };
  const begun = withTaskBegun(draft);
  const id = atWork(begun.plan).at(-1)?.id ?? null;
  const told = id === null ? [] : [`This was taken as work on ${id}: say by \`complete_task\` when it is done.`];
  return { draft: { ...begun, told: [...begun.told, ...told] }, call: { kind: 'tool', task: id } };
}

/** Words without any call. */
function takeWords(before: Draft, { reflecting }: Planning, reading: Reading): Taken {
  const draft = planned(before);
  const taken: Taken = { draft, reading, calls: [] };
  if (reading.answer === null) return taken;
  const thought: Reading = { ...reading, thought: asText(reading.answer), answer: null };
  if (before.plan === null || reflecting) return { ...taken, reading: thought };
  if (open(draft.plan).length === 0) return taken;
  const begun = atWork(draft.plan).length > 0 ? draft : withTaskBegun(draft);
  const task = atWork(begun.plan).at(-1);
  if (task === undefined) return { ...taken, reading: thought };
  const { plan } = completeTask(begun.plan, task.id, asText(reading.answer));
  // The result of the one task is the answer.
  const said = plan.tasks.length === 1 ? reading : thought;
  const told = [...begun.told, `This was taken as the result of ${task.id}.`];
  return { draft: { ...begun, plan, told }, reading: said, calls: [] };
}

function asTaken(before: State, planning: Planning, { draft, reading, calls }: Taken): TakenPlan {
  const { plan, failed, told: lines } = draft;
  const changed = plan !== before.plan;
  const kind = before.plan === null ? 'planning' : planning.reflecting ? 'reflection' : 'work';
  const state: State = {
    ...before,
    plan,
    planning: {
      ...planning,
      reflecting: false,
      step: { kind, changed, failed, told: lines, words: calls.length === 0 },
    },
    idle: changed ? { ...before.idle, news: true } : before.idle,
  };
  const told = draft.notices.map((text) => notice(state, 'plan', text));
  const entries: readonly Entry[] =
    changed && plan !== null ? [{ type: 'planned', at: state.now, plan }, ...told] : told;
  return { state, reading, calls, entries };
}
