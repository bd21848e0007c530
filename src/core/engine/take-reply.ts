/** What a reply of the model does to a chain: it is a step, with calls to make, an answer, or a problem. */

import { callKey } from '../lib/digest.js';
import { shorten } from '../lib/display.js';
import { asText, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { ModelReply } from '../model/fact.js';
import type { ReplyBlock } from '../model/model.js';
import { type Reading, type RequestedCall, unquote } from '../model/reading.js';
import type { Flight, State } from '../model/state.js';
import { takePlan } from '../plan/take-plan.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { addBytes, bytesSince, perObservation, settleReply } from '../state/budget.js';
import { type Entry, notice } from '../state/entry.js';
import { idle } from '../state/flight.js';
import * as reasons from '../state/reasons.js';
import { countRepeated } from '../state/repeats.js';
import { newStep, type StepReply } from '../state/step.js';
import { contextIsFull, giveUpClosing, stalled, stopWith, withPartial } from '../state/stop.js';
import { mayTakeStep } from './enforce.js';
import { takeCalls } from './take-calls.js';

/** A reply as the strategy read it, with the reading written out. */
interface ReadReply extends Omit<ModelReply, 'reading' | 'usage'>, StepReply {
  readonly modelCall: Extract<Flight, { kind: 'model' }>;
}

export function takeReply(before: State, replied: ModelReply): Advance {
  const { agent, flight } = before;
  if (agent === null || flight.kind !== 'model') return emit(before);
  const reading = unquote(replied.reading);
  const settled = settleReply(before, flight.reservation, replied, reading.content);
  const { usage, charged } = settled;
  const reply: ReadReply = { ...replied, reading, usage, charged, modelCall: flight };
  // What people said meanwhile was no part of the request, and is of the next.
  const state: State = { ...idle(addBytes(settled.state, bytesSince(before, flight.reservation))), attempt: 1 };
  if (flight.purpose === 'closing') return onSummary(state, reply);
  return reply.stopReason === 'pause_turn' ? onPause(state, reply) : takeStep(state, agent, reply);
}

/** Says once in a chain that its budget is charged in full; each step says for itself whether it was. */
export function noteUnreported(state: State, before: State): Advance {
  const { unreported } = state;
  if (unreported === null || before.unreported !== null) return emit(state);
  return emit(state, notice(state, 'usage', reasons.unreported(unreported.charged, unreported.problem)));
}

function takeStep(state: State, agent: AgentSnapshot, said: ReadReply): Advance {
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
  const times = { modelCall: noted.modelCalls, startedAt: reply.modelCall.startedAt, endedAt };
  const step = newStep(number, agent, reply, asked.calls, times);
  const told: Entry = { type: 'step', at: state.now, step };
  return emit(asked.state, told, ...planned.entries, ...decided.entries, ...asked.entries);
}

/** The last call has summed up. Where it said nothing, what was found stands for it. */
function onSummary(state: State, reply: ReadReply): Advance {
  const text = asText(reply.reading.answer ?? '') || textOf(reply.reading.content);
  if (state.stop === null || text === '') return emit(giveUpClosing(state));
  const stop = { ...state.stop, closing: false, partial: text };
  return emit({ ...state, stop }, notice(state, 'closing', text));
}

/** The provider wants to be asked again to go on; that is no step of the agent's. */
function onPause(state: State, reply: ReadReply): Advance {
  // What it said is a message of its own now.
  const next = { ...addBytes(state, perObservation), continuations: state.continuations + 1 };
  const paused = emit(next, { type: 'paused', at: state.now, content: reply.reading.content });
  if (next.continuations < defaults.continuations) return paused;
  return andThen(paused, (after) =>
    stopWith(after, 'failure', { code: 'endless_turn', times: defaults.continuations }),
  );
}

/** Whether the reply ends the chain, and as what. What is asked first wins. */
function decideWhatFollows(state: State, agent: AgentSnapshot, reply: ReadReply, keys: readonly string[]): Advance {
  const { reading } = reply;
  // The first reason stays; an answer that comes all the same is what was found.
  if (state.stop !== null) return emit(withPartial(state, reading.answer));
  const said = [asText(reading.answer ?? ''), textOf(reading.content)].join('\n');
  if (reply.stopReason === 'refusal') return stopWith(state, 'refused', { code: 'refused' });
  if (reply.stopReason === 'model_context_window_exceeded') return contextIsFull(state);

  const failure = findPhrase(agent.failurePhrases, said);
  if (failure !== null) return stopWith(state, 'failure', { code: 'phrase', phrase: failure });
  // It was given without what a person has said meanwhile: the model is asked once more, as long as it may be.
  if (reading.answer !== null && state.unheard && mayTakeStep(state, agent)) {
    return goOnWithNews(state, reading);
  }
  if (reading.answer !== null) {
    return stopWith(state, 'success', { code: 'answered', steps: state.steps }, { answer: reading.answer });
  }
  const success = findPhrase(agent.successPhrases, said);
  if (success !== null) {
    return stopWith(state, 'success', { code: 'phrase', phrase: success }, { answer: textOf(reading.content) });
  }
  if (reply.check !== null)
    return stopWith(state, 'custom', { code: 'check', reason: reply.check.reason }, { answer: reply.check.answer });
  if (reading.problem !== null) return onProblem(state, agent, reply, reading.problem);
  return onCalls(state, agent, reading.calls, keys);
}

/** What a person says is news, whatever the step has brought. */
function goOnWithNews(before: State, { content }: Reading): Advance {
  // The call that gave the answer is told that it was received.
  const state = addBytes(before, content.filter(({ type }) => type === 'tool_use').length * perObservation);
  return emit({ ...state, problems: 0, idle: { ...state.idle, news: true } });
}

function onProblem(before: State, agent: AgentSnapshot, reply: ReadReply, problem: string): Advance {
  // Besides the correction, each call that it asked for is told that it was not run.
  const answers = 1 + reply.reading.content.filter((block) => block.type === 'tool_use').length;
  const state = addBytes({ ...before, problems: before.problems + 1 }, utf8Bytes(problem) + answers * perObservation);
  if (state.problems < defaults.problems) return emit(state);
  const cutAt = reply.stopReason === 'max_tokens' ? reply.modelCall.reservation.outputTokens : null;
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
  if (repeated.steps < agent.limits.stallThreshold) return emit(state);
  return stalled(state, reasons.repeatedCalls(calls, repeated.steps));
}

function textOf(content: readonly ReplyBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function findPhrase(phrases: readonly string[], text: string): string | null {
  const lower = text.toLowerCase();
  return phrases.find((phrase) => lower.includes(phrase.toLowerCase())) ?? null;
}
