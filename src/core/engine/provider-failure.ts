/**
 * Applies a failed model call by the table of failures (failure-rules.ts): the agent's next model gets the call at once, or the
 * chain waits, is held, or ends.
 */

import { findOwn, shorten } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  defaults,
  doubleWait,
  type FailureDetails,
  type Flight,
  isOptionalAside,
  type ModelFailure,
  type ModelReply,
  type ModelRetry,
  type ReplyStopReason,
} from '../model/index.js';
import { applyOptionalFailure } from './asides.js';
import { waitForBudget } from './budget-rules.js';
import { addRemedy, isRejectedCall, providerFailures } from './failure-rules.js';
import { type FailedAttempt, fallBack, type ModelFlight, mayRecover } from './fall-back.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { settleFailure } from './state/budget.js';
import { type ChainEntry, createNoticeEntry } from './state/entry.js';
import { dropAside, endFlight, leaveOutOfTimeLimit } from './state/flight.js';
import { askAboutHeldStep } from './state/held-step.js';
import { formatHeldNotice } from './state/notice-text.js';
import { getFailureHolder } from './state/retry-wait.js';
import { skipClosing, stopChain, stopForRejectedContext } from './state/stop.js';

/**
 * Returns the milliseconds to wait after a failed attempt: the provider's `retry-after`, at most an hour, else a time that
 * doubles with each attempt. A provider that always requests a short wait does not cause an endless loop: later waits are as
 * long as without its request. Not random: the workflow and its readers must compute the same number.
 *
 * @param attempt the attempt that failed, from 1
 */
export function computeBackoffMs(attempt: number, retryAfterMs: number | null, maxIntervalMs: number): number {
  const backoffMs = doubleWait(defaults.modelBackoffMs, attempt, maxIntervalMs);
  if (retryAfterMs === null) return backoffMs;
  const requestedMs = Math.min(retryAfterMs, defaults.retryAfterLongestMs);
  return attempt <= obeyedAttempts ? requestedMs : Math.max(requestedMs, backoffMs);
}

/** Attempts after which a wait is exactly what the provider requests. */
const obeyedAttempts = 5;

export function applyModelFailure(before: ChainState, failure: ModelFailure): Advance {
  const { flight } = before;
  if (flight.kind !== 'model') return unchanged(before);
  if (isOptionalAside(flight.purpose)) return applyOptionalFailure(before, flight, flight.purpose, failure);
  return applyFailedAttempt(before, flight, settleFailure(before, flight.reservation, failure), failure);
}

/** @param settled the state with the attempt's charge */
function applyFailedAttempt(
  before: ChainState,
  flight: ModelFlight,
  settled: ChainState,
  failure: FailedAttempt,
): Advance {
  const { agent } = before;
  const isClosing = flight.purpose === 'closing';
  if (!isClosing && settled.stop !== null) return emit(endFlight(settled));
  // A failed attempt waited for the provider, as the wait after it does.
  const waitedMs = before.now - flight.startedAt;
  const fallen = agent === null ? null : fallBack(endFlight(settled), agent, flight, failure);
  if (fallen?.next != null) return andThen(fallen.next, (state) => emit(leaveOutOfTimeLimit(state, waitedMs)));
  const state: ChainState = changeState(endFlight(settled), { tried: fallen === null ? settled.tried : fallen.ended });
  if (isClosing) return emit(skipClosing(state));
  const decisive = fallen?.decisive ?? failure;
  if (decisive.kind === 'context_overflow' && state.held === undefined)
    return applyOverflow(changeState(state, { tried: [] }));
  if (isRejectedCall(decisive.kind)) return waitForBudget(leaveOutOfTimeLimit(state, waitedMs), decisive);
  const { next, retries = 0, holdAfterMs } = providerFailures[decisive.kind];
  const message = addRemedy(decisive.kind, decisive.message);
  const { retry, onProviderError } = agent?.model ?? modelWithoutAgent;
  const needsRepair = next === 'hold' && before.attempt > retries;
  if (next === 'end' || (needsRepair && onProviderError === 'fail')) {
    if (state.held === undefined) return stopChain(state, 'failure', { code: 'model_failed', message });
    const why = `The model that decides about the step failed (${shorten(decisive.message, 300).replace(/\.$/, '')}).`;
    return askAboutHeldStep(dropAside(state), why);
  }
  const isOutage = holdAfterMs !== undefined && computeFailingMs(before) >= holdAfterMs && onProviderError === 'hold';
  const waited = leaveOutOfTimeLimit(state, waitedMs);
  return waitForRetry(waited, retry, { ...decisive, message, held: needsRepair || isOutage });
}

function computeFailingMs({ failing, now }: ChainState): number {
  return failing === null ? 0 : now - failing.since;
}

/**
 * Applies a reply that another model may complete: a refusal, or one that filled the context window. Null if no other model
 * is left and none may succeed later: the reply counts.
 *
 * @param settled the state with the reply's charge
 */
export function applyRefusedReply(
  before: ChainState,
  settled: ChainState,
  { stopReason, route }: Pick<ModelReply, 'stopReason' | 'route'>,
): Advance | null {
  const { flight, agent } = before;
  const refused = findOwn(refusals, stopReason);
  if (agent?.routing === undefined || flight.kind !== 'model' || refused === undefined) return null;
  if (before.stop !== null && flight.purpose !== 'closing') return null;
  const failure: FailedAttempt = { ...refused, retryAfterMs: null, ...(route === undefined ? {} : { route }) };
  const fallen = fallBack(endFlight(settled), agent, flight, failure);
  const mayPass = fallen?.next != null || mayRecover(fallen?.decisive.kind);
  return mayPass ? applyFailedAttempt(before, flight, settled, failure) : null;
}

const refusals: { readonly [reason in ReplyStopReason]?: Pick<ModelFailure, 'kind' | 'message'> } = {
  refusal: { kind: 'refused', message: 'The model refused to continue' },
  model_context_window_exceeded: {
    kind: 'context_overflow',
    message: 'The reply filled the context window of the model',
  },
};

/** A task's files are stored when its agent is prepared. */
export function waitForStore(before: ChainState, { message }: FailureDetails): Advance {
  const kind = 'store_unavailable';
  const { retries = 0 } = providerFailures[kind];
  return waitForRetry(endFlight(before), modelWithoutAgent.retry, {
    kind,
    message: addRemedy(kind, message),
    retryAfterMs: null,
    held: before.attempt > retries,
  });
}

/** The agent's own rules are not known yet. */
const modelWithoutAgent: Pick<AgentSnapshot['model'], 'retry' | 'onProviderError'> = {
  retry: { attempts: null, forMs: defaults.modelRetryMs, maxIntervalMs: defaults.modelBackoffLongestMs },
  onProviderError: 'hold',
};

interface RetriedFailure extends Pick<ModelFailure, 'kind' | 'message' | 'retryAfterMs'> {
  readonly held: boolean;
}

/** Waits before the next attempt, or ends the chain where `modelRetry` allows no other. */
function waitForRetry(
  before: ChainState,
  { attempts, forMs, maxIntervalMs }: ModelRetry,
  { kind, message, retryAfterMs, held }: RetriedFailure,
): Advance {
  const { attempt, now } = before;
  const retryDelayMs = held ? defaults.heldRetryMs : computeBackoffMs(attempt, retryAfterMs, maxIntervalMs);
  const { since: failingSince = now, rejectedSince = now } = before.failing ?? {};
  // The time of the waits for budgets and rates before it does not count.
  const since = failingSince + now - rejectedSince;
  // No call was made, so a circuit uses up no attempt.
  const isAttempt = kind !== 'circuit_open';
  if ((isAttempt && attempts !== null && attempt >= attempts) || now + retryDelayMs > since + forMs) {
    return stopChain(before, 'failure', { code: 'model_attempts', attempts: attempt, message });
  }
  // Without a wait there is no timer: Temporal's take up to a second even for 0.
  const flight: Flight =
    retryDelayMs === 0 ? { kind: 'idle' } : { kind: 'modelRetry', retryDelayMs, nextAt: now + retryDelayMs };
  return emit(
    changeState(before, {
      attempt: isAttempt ? attempt + 1 : attempt,
      failing: { since, held, failure: kind, message: shorten(message, 500) },
      flight,
    }),
    ...createRetryNotices(before, { kind, message, held }),
  );
}

/**
 * An outage may last for days: after the first failures only every tenth has a notice. A held chain has one for each cause,
 * because the notice names the fix.
 */
function createRetryNotices(
  before: ChainState,
  { kind, message, held }: Omit<RetriedFailure, 'retryAfterMs'>,
): readonly ChainEntry[] {
  const { attempt, failing } = before;
  if (held) {
    const isKnown = failing?.held && failing.failure === kind;
    return isKnown ? [] : [createNoticeEntry(before, 'held', formatHeldNotice(getFailureHolder(kind), message))];
  }
  const isRepeated = kind === 'circuit_open' && failing?.failure === kind;
  const isShown = !isRepeated && (attempt <= 5 || attempt % 10 === 0);
  return isShown
    ? [createNoticeEntry(before, 'model_retry', `Attempt ${attempt} at the model call failed: ${message}`)]
    : [];
}

/** The next rule of the turn summarizes the oldest steps (compact.ts), once: the shorter request is another call. */
function applyOverflow(state: ChainState): Advance {
  const { conversation } = state;
  if (conversation.overflow === 'compacted') return stopForRejectedContext(state);
  return emit(
    changeState(state, {
      attempt: 1,
      failing: null,
      tried: [],
      conversation: { ...conversation, overflow: 'rejected' },
    }),
  );
}
