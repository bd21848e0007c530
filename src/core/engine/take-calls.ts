/**
 * Sorts the calls of a reply: refused, answered from before, for a person first, or to be run. None is run after a stop, or
 * beside an answer, also where the chain goes on: nobody was asked who has to approve it. A person approves what a task of
 * the plan wants confirmed, whatever else says.
 */

import { approvedAlways } from '../approvals/always.js';
import { approvalAtBreakpoint } from '../approvals/hold.js';
import { whyBlocked } from '../delegation/blocked.js';
import { utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot, ToolSnapshot } from '../model/agent.js';
import { type Ask, type AskRules, openAsk } from '../model/ask.js';
import type { Call } from '../model/chain.js';
import { defaults } from '../model/defaults.js';
import type { ModelReply } from '../model/fact.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import type { PendingCall, State } from '../model/state.js';
import { atWork } from '../model/tasks.js';
import type { PlannedCall } from '../plan/take-plan.js';
import { askRules, riskOf, strictest } from '../state/ask-rules.js';
import { addBytes, perObservation } from '../state/budget.js';
import { askedEntry, type Entry } from '../state/entry.js';
import { earlierRead, noteOutcome } from '../state/repeats.js';
import { newCall } from '../state/step.js';
import { notRun } from '../state/stop.js';

interface ReadCalls extends Pick<ModelReply, 'approvals'> {
  readonly reading: Reading;
  /** What the chain's plan makes of each call, where it has one. */
  readonly planned?: readonly PlannedCall[];
}

export function takeCalls(
  before: State,
  agent: AgentSnapshot,
  { reading, approvals, planned = [] }: ReadCalls,
  keys: readonly string[],
): { readonly state: State; readonly calls: readonly Call[]; readonly entries: readonly Entry[] } {
  let state = before;
  const calls: Call[] = [];
  const pending: PendingCall[] = [];
  for (const [index, requested] of (reading.problem === null ? reading.calls : []).entries()) {
    const plan = planned[index] ?? unplanned;
    const task = plan.kind === 'tool' && plan.task !== null ? { task: plan.task } : {};
    const call: Call = { ...newCall(state.steps, index, requested, state.now), ...task };
    const tool = agent.tools.find(({ name }) => name === requested.tool);
    const key = keys[index] ?? '';
    const refusal = refusalOf(requested, index, tool === undefined) ?? blockedOf(state, agent, tool);
    const dropped = whyDropped(state, reading);
    const earlier = tool?.effects === 'read' && !tool.volatile ? earlierRead(before, key) : null;
    if (plan.kind === 'control') {
      calls.push({ ...call, status: plan.status, observation: plan.text, endedAt: state.now });
      state = addBytes(state, utf8Bytes(plan.text) + perObservation);
    } else if (refusal !== null) {
      calls.push({ ...call, status: 'error', observation: refusal, endedAt: state.now });
      state = addBytes({ ...state, idle: noteOutcome(state.idle, key, refusal) }, utf8Bytes(refusal) + perObservation);
    } else if (dropped !== null || tool === undefined) {
      const observation = dropped ?? notRun;
      calls.push({ ...call, status: 'not_run', observation, endedAt: state.now });
      state = addBytes(state, utf8Bytes(observation) + perObservation);
    } else if (earlier !== null) {
      calls.push({ ...call, status: 'reused', reusedFrom: earlier.call, endedAt: state.now });
      state = addBytes(state, earlier.bytes + 2 * perObservation);
    } else {
      calls.push(call);
      const approval = approvals?.[index] ?? null;
      const ask = askFirst(state, tool, approval);
      pending.push({
        id: call.id,
        tool: tool.name,
        input: requested.input,
        effects: tool.effects,
        key,
        reusable: tool.effects === 'read' && !tool.volatile,
        progress: ask === null ? 'asked' : 'waiting',
        bytes: 0,
        retried: false,
        ...(ask === null ? {} : { ask }),
        ...(ask === null && approval !== null ? { approvedBy: approval } : {}),
        ...task,
        ...(tool.delegates === null ? {} : { children: [] }),
      });
    }
  }
  // Also without any call: the step is then complete at once. A reply with a problem is corrected instead.
  if (reading.problem === null) state = { ...state, flight: { kind: 'calls', calls: pending } };
  return { state, calls, entries: pending.flatMap((call) => (call.ask ? [askedEntry(state, call, call.ask)] : [])) };
}

const unplanned: PlannedCall = { kind: 'tool', task: null };

function whyDropped({ stop }: State, { answer }: Reading): string | null {
  if (stop !== null) return notRun;
  return answer === null ? null : 'Not run: an answer was given with it.';
}

/** What a person has to say before the call is run; null for nothing. */
function askFirst(state: State, tool: ToolSnapshot, said: AskRules | null): Ask | null {
  if (tool.question !== null) return openAsk('question', tool.question, state.now);
  const confirmation = confirmationOf(state, tool);
  const approval = confirmation === null ? said : strictest(said === null ? [confirmation] : [said, confirmation]);
  const needed = approval !== null && approvedAlways(state, tool.name, approval) ? null : approval;
  const wanted = approvalAtBreakpoint(state, tool);
  // Who wants to see a call first lets nobody decide on it who could not have before.
  const rules = wanted === null ? needed : strictest(approval === null ? [wanted] : [approval, wanted]);
  return rules === null ? null : openAsk('approval', rules, state.now);
}

function blockedOf(state: State, agent: AgentSnapshot, tool: ToolSnapshot | undefined): string | null {
  return tool?.delegates ? whyBlocked(state, agent, tool.delegates) : null;
}

function refusalOf(requested: RequestedCall, index: number, unknown: boolean): string | null {
  if (requested.rejected !== null) return requested.rejected;
  if (unknown) return `There is no tool named ${requested.tool}.`;
  if (index < defaults.callsPerStep) return null;
  return `Not run: one reply may ask for ${defaults.callsPerStep} calls at most. Ask for this one again.`;
}

/** By which rules; null where nothing wants it. Where no task is at work, what any of them wants counts. */
function confirmationOf({ plan }: Pick<State, 'plan'>, { name, effects }: ToolSnapshot): AskRules | null {
  if (plan === null) return null;
  const busy = atWork(plan);
  const task = (busy.length > 0 ? busy : plan.tasks).find(({ confirm }) => confirm.includes(name));
  if (task === undefined) return null;
  return askRules({ reason: `Task ${task.id} wants calls of ${name} to be confirmed.`, risk: riskOf(effects) });
}
