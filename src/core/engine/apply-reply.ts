/** Applies a reply of the model: a step with calls, an answer or a problem; a paused turn; or a summary. */

import { computeCallKey, countUtf8Bytes, removePrivateParts, type Sha256, shorten, toValueText } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type CheckResult,
  changeState,
  defaults,
  expandReading,
  type Flight,
  type HeldStep,
  hasEnding,
  isAside,
  joinTextBlocks,
  type ModelReply,
  type Reading,
  type RequestedCall,
  type StopReason,
} from '../model/index.js';
import { applyAsideReply } from './asides.js';
import { classifyCalls } from './classify-calls.js';
import { canTakeStep } from './enforce-limits.js';
import { updatePlan } from './plan/update-plan.js';
import { applyRefusedReply } from './provider-failure.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { addBytes, countBytesSince, observationOverheadBytes, settleReply } from './state/budget.js';
import { addPausedContent, addStepContent } from './state/conversation-size.js';
import { type ChainEntry, createNoticeEntry } from './state/entry.js';
import { endFlight } from './state/flight.js';
import { holdStep } from './state/held-step.js';
import { formatUnreportedUsageNotice, toRepeatedCallsReason, toUnreadableRepliesReason } from './state/notice-text.js';
import { countRepetition, rememberThought } from './state/repeats.js';
import { createStep, type StepReply } from './state/step.js';
import { formatFindings, setPartial, skipClosing, stopChain, stopForFullContext, stopStalled } from './state/stop.js';
import { findEnding } from './verdicts.js';

/** A reply with its reading restored. */
interface ReplyWithReading extends Omit<ModelReply, 'reading' | 'usage'>, StepReply {
  readonly modelCall: Extract<Flight, { kind: 'model' }>;
  readonly contentBytes: number;
}

/** @param computeSha256 the host's implementation, for the keys of calls */
export function applyReply(before: ChainState, replied: ModelReply, computeSha256?: Sha256): Advance {
  const { agent, flight } = before;
  if (agent === null || flight.kind !== 'model') return unchanged(before);
  if (isAside(flight.purpose)) return applyAsideReply(before, flight, replied);
  const reading = expandReading(replied.reading);
  const settled = settleReply(before, flight.reservation, replied, reading.content);
  const { usage, price, charged, contentBytes } = settled;
  const reply: ReplyWithReading = { ...replied, reading, usage, price, charged, contentBytes, modelCall: flight };
  // Messages that arrived during the call are in the next request.
  const counted = addBytes(settled.state, countBytesSince(before, flight.reservation));
  const refused = applyRefusedReply(before, counted, replied);
  if (refused !== null) return refused;
  const state: ChainState = changeState(endFlight(counted), { attempt: 1, failing: null, tried: [] });
  if (flight.purpose === 'closing') return applySummary(state, reply);
  return reply.stopReason === 'pause_turn'
    ? applyPausedTurn(state, reply)
    : applyStepReply(state, agent, reply, computeSha256);
}

/** Emits a notice for the first full charge of a chain. Each step has its own charge. */
export function emitUnreportedUsage(state: ChainState, before: ChainState): Advance {
  const { unreportedUsage } = state;
  if (unreportedUsage === null || before.unreportedUsage !== null) return unchanged(state);
  return emit(
    state,
    createNoticeEntry(
      state,
      'usage_unreported',
      formatUnreportedUsageNotice(unreportedUsage.charged, unreportedUsage.problem),
    ),
  );
}

function applyStepReply(
  state: ChainState,
  agent: AgentSnapshot,
  received: ReplyWithReading,
  computeSha256: Sha256 | undefined,
): Advance {
  const nextStep = changeState(state, { turnPauses: 0, steps: state.steps + 1 });
  const planned = updatePlan(addStepContent(nextStep, received.contentBytes), agent, received);
  const reply: ReplyWithReading = { ...received, reading: planned.reading };
  const stepped: ChainState = changeState(planned.state, {
    scratchpad: reply.reading.scratchpad ?? state.scratchpad,
    partialFindings: reply.reading.thought
      ? { ...state.partialFindings, thought: shorten(removePrivateParts(reply.reading.thought), 2_000) }
      : state.partialFindings,
  });
  // Working notes are rendered once more, in addition to the reply that contains them.
  const notes = reply.reading.scratchpad;
  const noted = notes === null ? stepped : addBytes(stepped, countUtf8Bytes(notes) + observationOverheadBytes);
  const remembered = rememberThought(noted, reply.reading);
  const keys = reply.reading.calls.map((call) => computeCallKey(call.tool, call.input, computeSha256));
  const outcome = decideStepOutcome(remembered.state, agent, reply, keys);
  const { ending, decided } = holdEnding(agent, remembered.state, reply, outcome);
  const classified = classifyCalls(decided.state, agent, { ...reply, plannedCalls: planned.calls, ending }, keys);
  const { steps: number, now: endedAt } = classified.state;
  const times = { modelCall: noted.modelCalls, startedAt: reply.modelCall.startedAt, endedAt };
  const step = createStep(number, reply, classified.calls, times);
  const added: ChainEntry = { type: 'step-added', at: state.now, step };
  return emit(
    classified.state,
    added,
    ...remembered.entries,
    ...planned.entries,
    ...decided.entries,
    ...classified.entries,
  );
}

/** Takes back an ending that needs a verdict first. A reply with a problem does not end the chain then: it is corrected. */
function holdEnding(
  agent: AgentSnapshot,
  before: ChainState,
  reply: ReplyWithReading,
  outcome: Advance,
): { readonly ending?: HeldStep['ending']; readonly decided: Advance } {
  const ending = findEnding(agent, before, outcome.state);
  const { problem } = reply.reading;
  if (ending === undefined) return { decided: outcome };
  if (problem !== null) return { decided: applyReadingProblem(before, agent, reply, problem) };
  return { ending, decided: emit(before) };
}

/** Applies a check of the agent that ends the chain after the observations of a step. */
export function applyCheckEnd(before: ChainState, check: CheckResult): Advance {
  const stopped = stopByCheck(before, check);
  const ending = before.agent === null ? undefined : findEnding(before.agent, before, stopped.state);
  if (ending === undefined || before.agent === null) return stopped;
  return emit(holdStep(before, before.agent, [], { ...ending, isFinal: true }));
}

/** Applies the summary of the last call. An empty one is replaced by the findings. */
function applySummary(state: ChainState, reply: ReplyWithReading): Advance {
  const text = toValueText(reply.reading.answer ?? '') || joinTextBlocks(reply.reading.content);
  if (state.stop === null || text === '') return emit(skipClosing(state));
  const stop = { ...state.stop, closing: false, partial: text };
  return emit(changeState(state, { stop }), createNoticeEntry(state, 'closing_call', text));
}

/** Continues a turn that the provider paused. A paused turn is not a step. */
function applyPausedTurn(state: ChainState, reply: ReplyWithReading): Advance {
  // The content so far becomes a separate message.
  const counted = addPausedContent(addBytes(state, observationOverheadBytes), reply.contentBytes);
  const next = changeState(counted, { turnPauses: state.turnPauses + 1 });
  const paused = emit(next, { type: 'turn-paused', at: state.now, content: reply.reading.content });
  if (next.turnPauses < defaults.maxTurnPauses) return paused;
  return andThen(paused, (after) =>
    stopChain(after, 'failure', { code: 'endless_turn', times: defaults.maxTurnPauses }),
  );
}

/** Decides whether the reply ends the chain. The first match wins. */
function decideStepOutcome(
  state: ChainState,
  agent: AgentSnapshot,
  reply: ReplyWithReading,
  keys: readonly string[],
): Advance {
  const { reading } = reply;
  // The first reason stays; a late answer is kept as partial.
  if (state.stop !== null) return emit(setPartial(state, reading.answer));
  if (reply.stopReason === 'refusal') return stopChain(state, 'refused', { code: 'refused' });
  if (reply.stopReason === 'model_context_window_exceeded') return stopForFullContext(state, { closing: false });

  const failure = findPhrase(agent.failurePhrases, reading);
  if (failure !== null) return stopChain(state, 'failure', { code: 'phrase', phrase: failure });
  if (reply.check?.outcome === 'failure') return stopByCheck(state, reply.check);
  // The reply was given without a person's new message: the model is called again, if the limits allow.
  if (hasEnding(reading) && state.hasUnreadMessages && canTakeStep(state, agent)) return continueWithNews(state);
  if (hasEnding(reading)) return stopByModel(state, reading);
  const success = findPhrase(agent.successPhrases, reading);
  if (success !== null) {
    return stopChain(
      state,
      'success',
      { code: 'phrase', phrase: success },
      { answer: joinTextBlocks(reading.content) },
    );
  }
  if (reply.check !== null) return stopByCheck(state, reply.check);
  if (reading.problem !== null) return applyReadingProblem(state, agent, reply, reading.problem);
  return enforceRepetitionLimit(state, agent, reading.calls, keys);
}

/** Ends the chain as the model states, unless no task of its plan was completed. */
function stopByModel(state: ChainState, { answer, failure }: Reading): Advance {
  const partial = toValueText(answer ?? '') || formatFindings(state);
  if (failure !== undefined) return stopChain(state, 'failure', { code: 'task_failed', why: failure }, { partial });
  const count = countFailedPlan(state.plan);
  if (count !== null) return stopChain(state, 'failure', { code: 'plan_failed', ...count }, { partial });
  return stopChain(state, 'success', { code: 'answered', steps: state.steps }, { answer });
}

/** Counts the tasks of a plan that all failed or are blocked; null for any other plan. */
function countFailedPlan(plan: ChainState['plan']): { readonly failed: number; readonly blocked: number } | null {
  const tasks = plan?.tasks ?? [];
  const failed = tasks.filter(({ status }) => status === 'failed').length;
  const blocked = tasks.filter(({ status }) => status === 'blocked').length;
  return tasks.length > 0 && failed + blocked === tasks.length ? { failed, blocked } : null;
}

/** Ends the chain by the agent's own check or a policy, after a reply or before the next model call. */
function stopByCheck(state: ChainState, { reason, answer, outcome, by }: CheckResult): Advance {
  const stop: StopReason = { code: by === 'policy' ? 'policy' : 'check', reason };
  return outcome === 'failure'
    ? stopChain(state, 'failure', stop, { partial: toValueText(answer ?? '') || formatFindings(state) })
    : stopChain(state, 'custom', stop, { answer });
}

/** Continues after an answer. A person's message is news, so the step counts as progress. */
function continueWithNews(state: ChainState): Advance {
  return emit(changeState(state, { unreadableReplies: 0, stall: { ...state.stall, hasProgress: true } }));
}

function applyReadingProblem(
  before: ChainState,
  agent: AgentSnapshot,
  reply: ReplyWithReading,
  problem: string,
): Advance {
  // In addition to the correction, each requested call gets an observation.
  const answers = 1 + reply.reading.content.filter((block) => block.type === 'tool_use').length;
  const state = addBytes(
    changeState(before, { unreadableReplies: before.unreadableReplies + 1 }),
    countUtf8Bytes(problem) + answers * observationOverheadBytes,
  );
  if (state.unreadableReplies < defaults.maxUnreadableReplies) return emit(state);
  const cutAt = reply.stopReason === 'max_tokens' ? reply.modelCall.reservation.outputTokens : null;
  return stopChain(state, 'failure', toUnreadableRepliesReason(defaults.maxUnreadableReplies, problem, cutAt, agent));
}

function enforceRepetitionLimit(
  before: ChainState,
  agent: AgentSnapshot,
  calls: readonly RequestedCall[],
  keys: readonly string[],
): Advance {
  const repeated = countRepetition(before, keys);
  const state: ChainState = changeState(before, { unreadableReplies: 0, repetition: repeated });
  if (repeated.steps < agent.limits.stallThreshold) return emit(state);
  return stopStalled(state, toRepeatedCallsReason(calls, repeated.steps));
}

/** Finds a phrase in the answer or the text of a reply. Most agents have no phrases, and nothing is joined for them. */
function findPhrase(phrases: readonly string[], { answer, content }: Reading): string | null {
  if (phrases.length === 0) return null;
  const lower = [toValueText(answer ?? ''), joinTextBlocks(content)].join('\n').toLowerCase();
  return phrases.find((phrase) => lower.includes(phrase.toLowerCase())) ?? null;
}
