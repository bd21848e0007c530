/** What a reply of the model does to a chain: it is a step, with calls to make, an answer, or a problem. */

import { callKey } from '../lib/digest.js';
import { shorten } from '../lib/display.js';
import { asText, utf8Bytes } from '../lib/json.js';
import { findPhrase } from '../lib/phrases.js';
import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { ModelFailure, ModelReply } from '../model/fact.js';
import type { ReplyBlock } from '../model/model.js';
import { unquote } from '../model/quoted.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import type { Flight, State } from '../model/state.js';
import { takePlan } from '../plan/take-plan.js';
import {
  addBytes,
  bytesSince,
  perObservation,
  type SettledReply,
  settleFailure,
  settleReply,
} from '../state/budget.js';
import { type Entry, notice } from '../state/entry.js';
import { newStep, type StepReply } from '../state/new-step.js';
import * as reasons from '../state/reasons.js';
import { completeStep } from '../state/settle-call.js';
import { countRepeated } from '../state/stall.js';
import { type Advance, giveUpClosing, stalled, stopWith, whatWasFound, withPartial } from '../state/stop.js';
import { limitReached } from './enforce.js';
import { backoffMs, providerFailures } from './provider-failure.js';
import { takeCalls } from './take-calls.js';

type ModelFlight = Extract<Flight, { kind: 'model' }>;

/** A reply as the strategy read it, with the reading written out. */
interface ReadReply extends Omit<ModelReply, 'reading' | 'usage'>, StepReply {
  /** Output tokens that it was allowed. */
  readonly room: number;
}

export function onReply(before: State, flight: ModelFlight, agent: AgentSnapshot, replied: ModelReply): Advance {
  const reading = unquote(replied.reading);
  const settled = settleReply(before, flight.reservation, replied, reading.content);
  // What people said meanwhile was no part of the request, and is of the next.
  const state = addBytes(settled.state, bytesSince(before, flight.reservation));
  const { usage, charged } = settled;
  const reply: ReadReply = { ...replied, reading, usage, charged, room: flight.reservation.outputTokens };
  const taken = takeReply({ ...state, flight: { kind: 'idle' }, attempt: 1 }, flight, agent, reply);
  return { state: taken.state, entries: [...taken.entries, ...noteUnreported(taken.state, settled)] };
}

/** Says once in a chain that its budget is charged in full; each step says for itself whether it was. */
function noteUnreported(state: State, settled: SettledReply): readonly Entry[] {
  if (settled.charged === null || state.unreported !== 1) return [];
  return [notice(state, 'usage', reasons.unreported(settled.charged, settled.problem))];
}

function takeReply(state: State, flight: ModelFlight, agent: AgentSnapshot, said: ReadReply): Advance {
  if (flight.purpose === 'closing') return onSummary(state, said);
  if (said.stopReason === 'pause_turn') return onPause(state, said);
  const planned = takePlan({ ...state, continuations: 0, steps: state.steps + 1 }, agent, said);
  const reply: ReadReply = { ...said, reading: planned.reading };
  const stepped: State = {
    ...planned.state,
    scratchpad: reply.reading.scratchpad ?? state.scratchpad,
    found: reply.reading.thought ? { ...state.found, thought: shorten(reply.reading.thought, 2_000) } : state.found,
  };
  // Working notes are shown once more, beside the reply that they stand in.
  const notes = reply.reading.scratchpad;
  const noted = notes === null ? stepped : addBytes(stepped, utf8Bytes(notes) + perObservation);
  const keys = reply.reading.calls.map((call) => callKey(call.tool, call.input));
  const decided = decideWhatFollows(noted, agent, reply, keys);
  const asked = takeCalls(decided.state, agent, { ...reply, planned: planned.calls }, keys);
  const { steps: number, now: endedAt } = asked.state;
  const times = { modelCall: noted.modelCalls, startedAt: flight.startedAt, endedAt };
  const step = newStep(number, agent, reply, asked.calls, times);
  const entries: Entry[] = [
    { type: 'step', at: state.now, step },
    ...planned.entries,
    ...decided.entries,
    ...asked.entries,
  ];
  const calls = asked.state.flight.kind === 'calls';
  if (calls || asked.state.stop !== null || reply.reading.problem !== null) return { state: asked.state, entries };
  const complete = completeStep(asked.state, agent, []);
  return { state: complete.state, entries: [...entries, ...complete.entries] };
}

/** The last call has summed up. Where it said nothing, what was found stands for it. */
function onSummary(state: State, reply: ReadReply): Advance {
  const text = asText(reply.reading.answer ?? '') || textOf(reply.reading.content);
  if (state.stop === null || text === '') return { state: giveUpClosing(state), entries: [] };
  const stop = { ...state.stop, closing: false, partial: text };
  return { state: { ...state, stop }, entries: [notice(state, 'closing', text)] };
}

/** The provider wants to be asked again to go on; that is no step of the agent's. */
function onPause(state: State, reply: ReadReply): Advance {
  // What it said is a message of its own now.
  const next = { ...addBytes(state, perObservation), continuations: state.continuations + 1 };
  const entries: Entry[] = [{ type: 'paused', at: state.now, content: reply.reading.content }];
  if (next.continuations < defaults.continuations) return { state: next, entries };
  const stopped = stopWith(next, 'failure', `The provider paused one turn ${defaults.continuations} times.`);
  return { state: stopped.state, entries: [...entries, ...stopped.entries] };
}

/** Whether the reply ends the chain, and as what. What is asked first wins. */
function decideWhatFollows(state: State, agent: AgentSnapshot, reply: ReadReply, keys: readonly string[]): Advance {
  const { reading } = reply;
  // The first reason stays; an answer that comes all the same is what was found.
  if (state.stop !== null) return { state: withPartial(state, reading.answer), entries: [] };
  const said = [asText(reading.answer ?? ''), textOf(reading.content)].join('\n');
  if (reply.stopReason === 'refusal') return stopWith(state, 'refused', 'The model refused to go on.');
  if (reply.stopReason === 'model_context_window_exceeded') return contextIsFull(state);

  const failure = findPhrase(agent.failurePhrases, said);
  if (failure !== null) return stopWith(state, 'failure', `The model said “${failure}”.`);
  // It was given without what a person has said meanwhile: the model is asked once more, as long as it may be.
  if (reading.answer !== null && state.unheard && limitReached(state, agent) === null) {
    return goOnWithNews(state, reading);
  }
  if (reading.answer !== null) {
    return stopWith(state, 'success', `Answered in ${steps(state.steps)}.`, { answer: reading.answer });
  }
  const success = findPhrase(agent.successPhrases, said);
  if (success !== null) {
    return stopWith(state, 'success', `The model said “${success}”.`, { answer: textOf(reading.content) });
  }
  if (reply.check !== null) return stopWith(state, 'custom', reply.check.reason, { answer: reply.check.answer });
  if (reading.problem !== null) return onProblem(state, agent, reply, reading.problem);
  return onCalls(state, agent, reading.calls, keys);
}

/** What a person says is news, whatever the step has brought. */
function goOnWithNews(before: State, { content }: Reading): Advance {
  // The call that gave the answer is told that it was received.
  const state = addBytes(before, content.filter(({ type }) => type === 'tool_use').length * perObservation);
  return { state: { ...state, problems: 0, idle: { ...state.idle, news: true } }, entries: [] };
}

/** No last call can sum up what does not fit any more. */
function contextIsFull(state: State): Advance {
  const reason = "The conversation no longer fits the model's context window.";
  return stopWith(state, 'token_budget', reason, { partial: whatWasFound(state) });
}

function onProblem(before: State, agent: AgentSnapshot, reply: ReadReply, problem: string): Advance {
  // Besides the correction, each call that it asked for is told that it was not run.
  const answers = 1 + reply.reading.content.filter((block) => block.type === 'tool_use').length;
  const state = addBytes({ ...before, problems: before.problems + 1 }, utf8Bytes(problem) + answers * perObservation);
  if (state.problems < defaults.problems) return { state, entries: [] };
  const cutAt = reply.stopReason === 'max_tokens' ? reply.room : null;
  return stopWith(state, 'failure', reasons.unreadable(defaults.problems, problem, cutAt, agent));
}

function onCalls(
  before: State,
  agent: AgentSnapshot,
  calls: readonly RequestedCall[],
  keys: readonly string[],
): Advance {
  const allVolatile = calls.every((call) => agent.tools.find((tool) => tool.name === call.tool)?.volatile);
  const repeated = countRepeated(before, keys, allVolatile);
  const state: State = { ...before, problems: 0, repeated };
  if (repeated.steps < agent.limits.stallThreshold) return { state, entries: [] };
  return stalled(state, reasons.repeatedCalls(calls, repeated.steps));
}

/** A call of the model that gave no reply: made again after a wait, or the end of the chain. */
export function onModelFailure(before: State, flight: ModelFlight, failure: ModelFailure): Advance {
  const state: State = { ...settleFailure(before, flight.reservation, failure), flight: { kind: 'idle' } };
  if (flight.purpose === 'closing') return { state: giveUpClosing(state), entries: [] };
  if (state.stop !== null) return { state, entries: [] };
  const { again, remedy } = providerFailures[failure.kind];
  const says = `${failure.message.replace(/\.$/, '')}. ${remedy}`;
  if (failure.kind === 'context_overflow') return contextIsFull(state);
  if (!again) return stopWith(state, 'failure', `The model could not be called: ${says}`);
  if (state.attempt >= defaults.modelAttempts) {
    return stopWith(state, 'failure', `The model could not be called in ${state.attempt} attempts: ${says}`);
  }
  const waitMs = backoffMs(state.attempt, failure.retryAfterMs);
  const text = `Attempt ${state.attempt} at the model call failed: ${failure.message}`;
  // Nothing to wait for needs no timer: Temporal's take up to a second even for none.
  const next: Flight = waitMs === 0 ? { kind: 'idle' } : { kind: 'retry', waitMs, running: false };
  return {
    state: { ...state, attempt: state.attempt + 1, flight: next },
    entries: [notice(state, 'retry', text)],
  };
}

function textOf(content: readonly ReplyBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}
