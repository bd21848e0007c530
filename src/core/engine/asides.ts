/**
 * Asides: model calls that are no step. Each has a reservation of its own (L6), and its reply is one fact. The call is made
 * before the next step.
 *
 * `observer`: interprets the last steps, for an agent with `reflection`. By rule it costs no call. A chain never fails because of
 * it: without budget, and where the call fails, it is left out.
 * `compaction`: writes notes on the oldest steps (compact.ts), and is left out as an observer is.
 * `policy`, `judge`: decide about a step (verdicts.ts). Their calls are repeated like that of a step.
 */

import { findOwn, isObject, type JsonObject, readFirstObject, shorten, toOneLine, toValueText } from '../lib/index.js';
import {
  type AsideReply,
  type ChainState,
  changeState,
  expandReading,
  joinTextBlocks,
  type ModelFailure,
  type ModelReply,
  type OptionalAside,
  type PendingCall,
} from '../model/index.js';
import { applyNotes, leaveOutNotes } from './compact.js';
import { fallBack, type ModelFlight } from './fall-back.js';
import { readReview } from './plan/review.js';
import { type Advance, emit, unchanged } from './state/advance.js';
import { chargeReply, settleFailure } from './state/budget.js';
import { createNoticeEntry } from './state/entry.js';
import { dropAside, endFlight, findEndedCalls, leaveOutOfTimeLimit } from './state/flight.js';
import { getCalledModel } from './state/model-totals.js';
import { applyVerdict } from './verdicts.js';

/** Reflects on a step whose calls have ended, where it is due: by rule at once, or by the next model call. */
export function reflectOnStep(state: ChainState): Advance {
  const reflection = state.agent?.reflection;
  const calls = findEndedCalls(state);
  if (reflection === undefined || calls === null || state.stop !== null) return unchanged(state);
  if (state.steps % reflection.every !== 0) return unchanged(state);
  if (reflection.observer === 'model') return emit(changeState(state, { aside: 'observer' }));
  const text = calls.length === 0 ? 'No call of the step was run' : calls.map(describeCall).join('; ');
  return emit(state, createNoticeEntry(state, 'reflected', `${text}.`));
}

/** Without the name of the tool: a viewer who sees thoughts may not see the tool. */
function describeCall({ id, progress }: PendingCall): string {
  return `Call ${id} ${progress === 'ok' ? 'returned a result' : 'has no result'}`;
}

/** Applies the reply of an aside. It adds nothing to the conversation, whose bounds stay. */
export function applyAsideReply(before: ChainState, flight: ModelFlight, reply: ModelReply): Advance {
  const { content } = expandReading(reply.reading);
  const { state: charged, usage, costUsd } = chargeReply(before, flight.reservation, reply, content);
  const state = dropAside(endFlight(charged));
  if (state.stop !== null) return emit(state);
  const asked: AsideReply = {
    call: flight.call,
    model: getCalledModel(before, reply.route) ?? reply.model,
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    costUsd,
  };
  const text = joinTextBlocks(content);
  if (state.held !== undefined && state.agent !== null && (flight.purpose === 'policy' || flight.purpose === 'judge'))
    return applyVerdict(state, state.agent, flight.purpose, { text, asked });
  if (flight.purpose === 'compaction') {
    const problem = findOwn(unfinishedReplies, reply.stopReason);
    return problem === undefined ? applyNotes(state, { text, asked }) : leaveOutNotes(state, problem);
  }
  const { learned, assessment } = readReflection(text);
  return emit(
    state,
    ...learned.map((text) => createNoticeEntry(state, 'learned', text)),
    createNoticeEntry(state, 'reflected', assessment, { asked }),
  );
}

/** Notes that are cut off lack steps, and a refusal has no notes. */
const unfinishedReplies: { readonly [reason in ModelReply['stopReason']]?: string } = {
  max_tokens: 'the reply of the model was cut off',
  model_context_window_exceeded: 'the reply of the model was cut off',
  refusal: 'the model refused to write them',
};

/** Applies a failed attempt at an aside that may be left out: another model of the agent gets the call, or it is left out. */
export function applyOptionalFailure(
  before: ChainState,
  flight: ModelFlight,
  purpose: OptionalAside,
  failure: ModelFailure,
): Advance {
  const waited = leaveOutOfTimeLimit(before, before.now - flight.startedAt);
  const settled = settleFailure(waited, flight.reservation, failure);
  const { agent, stop } = settled;
  const fallen = agent === null || stop !== null ? null : fallBack(endFlight(settled), agent, flight, failure);
  return fallen?.next ?? leaveOutAside(settled, purpose, failure.message);
}

/** Continues without the aside under way. */
export function leaveOutAside(before: ChainState, purpose: OptionalAside, why: string): Advance {
  const state = dropAside(endFlight(before));
  if (state.stop !== null) return emit(state);
  const message = shorten(toOneLine(why), maxFailureLength).replace(/\.$/, '');
  if (purpose === 'compaction') return leaveOutNotes(state, `the model that writes them failed (${message})`);
  return emit(state, createNoticeEntry(state, 'reflected', `No reflection: the observer failed (${message}).`));
}

const maxFailureLength = 300;

/** Text that is no object is the reflection: nothing that was paid for is lost. */
function readReflection(text: string): { readonly learned: readonly string[]; readonly assessment: string } {
  const object = readFirstObject(text)?.value;
  const members: JsonObject = isObject(object) ? object : { progress: text };
  const parts = ['progress', 'next'].map((name) => toOneLine(toValueText(findOwn(members, name) ?? '')).trim());
  const { learned, assessment } = readReview({
    learned: findOwn(members, 'learned') ?? [],
    assessment: parts.filter((part) => part !== '').join(' Next: '),
  });
  return { learned, assessment: assessment ?? 'The observer gave no reflection.' };
}
