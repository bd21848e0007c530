/**
 * A held step: its calls or its ending wait for the verdict of a model. No call has started, and no request of a call is open, so
 * nobody decides a call that is denied.
 */

import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  createPersonRequest,
  type HeldStep,
  type PendingCall,
  type RequestRules,
} from '../../model/index.js';
import { type Advance, emit } from './advance.js';
import { createNoticeEntry, createRequestEntry } from './entry.js';
import { endFlight } from './flight.js';
import { formatPauseNotice } from './notice-text.js';
import { combineAllRules, createRequestRules, toRisk } from './request-rules.js';

/** Holds the calls or the ending of a step. */
export function holdStep(
  state: ChainState,
  { policy }: AgentSnapshot,
  calls: readonly PendingCall[],
  ending: HeldStep['ending'],
): ChainState {
  const held = { calls, startedAt: state.now, ...(ending === undefined ? {} : { ending }) };
  return changeState(endFlight(state), { aside: policy === undefined ? 'judge' : 'policy', held });
}

/** Returns the state with the calls of the held step under way; its ending is dropped, and with it the step is complete. */
export function takeHeldCalls(state: ChainState): ChainState {
  const { held, ...rest } = state;
  if (held === undefined) return state;
  return changeState(rest, { flight: { kind: 'calls', calls: held.calls, startedAt: held.startedAt } });
}

/** Runs the held calls. Their own requests open now. */
export function runHeldCalls(before: ChainState): Advance {
  return openRequests(before, ({ request }) => request?.rules ?? null);
}

/** A person decides each held call, or the ending by resuming the chain. */
export function askAboutHeldStep(before: ChainState, why: string): Advance {
  const { held } = before;
  if (held?.ending === undefined) {
    const roles = before.agent?.policy?.roles ?? [];
    return openRequests(before, ({ effects, request }) =>
      combineAllRules([
        createRequestRules({ reason: why, risk: toRisk(effects), roles }),
        ...(request === undefined ? [] : [request.rules]),
      ]),
    );
  }
  const question = `${why} Resume the chain to accept its end, or send it a message first to have it continued`;
  // A person who resumes a pause of another reason has not seen the question.
  if (before.paused !== null) return emit(changeState(before, { held: { ...held, question } }));
  return pauseForPerson(before, held, question);
}

/** Pauses the chain with a question about its ending. */
export function pauseForPerson(before: ChainState, { question: _, ...held }: HeldStep, reason: string): Advance {
  const roles = before.agent?.policy?.roles;
  const paused = { by: null, reason, at: before.now, ...(roles === undefined ? {} : { roles }) };
  return emit(
    changeState(before, { paused, held }),
    createNoticeEntry(before, 'paused', formatPauseNotice(null, reason)),
  );
}

/** A question is a request already: a verdict adds nothing to it. */
function openRequests(before: ChainState, findRules: (call: PendingCall) => RequestRules | null): Advance {
  const state = takeHeldCalls(before);
  if (state.flight.kind !== 'calls') return emit(state);
  const calls = state.flight.calls.map((call): PendingCall => {
    const { kind = 'approval', rules = null } = call.request ?? {};
    const needed = kind === 'question' ? rules : findRules(call);
    if (needed === null) return call;
    return { ...call, progress: 'waiting', request: createPersonRequest(kind, needed, state.now) };
  });
  return emit(
    changeState(state, { flight: { ...state.flight, calls } }),
    ...calls.flatMap((call) => (call.request === undefined ? [] : [createRequestEntry(state, call, call.request)])),
  );
}
