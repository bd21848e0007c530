/**
 * All failures of model calls: whether a retry may succeed, and the remedy for people. The chain decides by this table (L4:
 * a failure is data): it retries after a wait, holds until a person has repaired the cause, or ends. Every message about
 * such a failure takes its remedy from here.
 *
 * One of them is not the provider's: the store with the files of a request, or of a task, does not answer.
 */

import { shorten } from '../lib/display.js';
import type { AgentSnapshot, ModelRetry } from '../model/agent.js';
import { defaults, doubleWait } from '../model/defaults.js';
import type { FailureDetails, ModelFailure, ModelFailureKind } from '../model/fact.js';
import type { ChainState, Flight } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleFailure } from '../state/budget.js';
import { type ChainEntry, createNoticeEntry } from '../state/entry.js';
import { endFlight, leaveOutOfTimeLimit } from '../state/flight.js';
import { formatHeldNotice } from '../state/notice-text.js';
import { getFailureHolder } from '../state/retry-wait.js';
import { skipClosing, stopChain, stopForRejectedContext } from '../state/stop.js';

interface FailureRule {
  /** `retry`: another attempt may succeed. `hold`: only after a person has acted. `end`: none would. */
  readonly next: 'retry' | 'hold' | 'end';
  /** With `hold`: failures in a row that are retried first, because the cause may pass. Default 0. */
  readonly retries?: number;
  /**
   * With `retry`: milliseconds of failures after which a person should look, and the chain is held. It still makes attempts,
   * and `onProviderError: 'fail'` does not end it.
   */
  readonly holdAfterMs?: number;
  /** What to do, in one sentence. */
  readonly remedy: string;
}

export const providerFailures: Readonly<Record<ModelFailureKind, FailureRule>> = {
  bad_request: {
    next: 'end',
    remedy: "The provider rejected the request: compare the agent's model options with what the model supports.",
  },
  authentication: {
    next: 'hold',
    remedy:
      'Set ANTHROPIC_API_KEY to a valid key of the provider (with LONGHAND_MODEL_URL: the key of that server), and restart the worker.',
  },
  billing: {
    next: 'hold',
    remedy: "Add credit to the provider's account, or raise its spending limit.",
  },
  permission: {
    next: 'hold',
    remedy: "The key may not use this model: give it access in the provider's console, or choose another model.",
  },
  not_found: {
    next: 'hold',
    remedy: "Check the model's name, and that the address of the provider (LONGHAND_MODEL_URL, where set) is right.",
  },
  too_large: {
    next: 'end',
    remedy: "The request has too many bytes: lower the agent's maxObservationTokens, or give it a smaller task.",
  },
  context_overflow: {
    next: 'end',
    remedy:
      "The conversation does not fit the model's context window: lower maxObservationTokens, shorten the task, or choose a model with a larger window.",
  },
  rate_limit: {
    next: 'retry',
    remedy: 'Run fewer chains at once, or ask the provider for a higher rate limit.',
  },
  overloaded: {
    next: 'retry',
    remedy: 'The provider is overloaded: run fewer chains at once, or choose another model.',
  },
  server_error: {
    next: 'retry',
    remedy: "The provider failed: check its status page or the server's log.",
  },
  timeout: {
    next: 'retry',
    remedy: "The model did not answer in time: check the provider's status, or raise the timeout of model calls.",
  },
  connection: {
    next: 'retry',
    holdAfterMs: defaults.outageMs,
    remedy:
      'Check that the provider runs, and that the worker reaches it: its network, its proxy, and LONGHAND_MODEL_URL where it is set.',
  },
  unknown_host: {
    next: 'hold',
    retries: 5,
    remedy: "Check the provider's address (LONGHAND_MODEL_URL or baseURL), and the worker's DNS and proxy.",
  },
  cut: {
    next: 'retry',
    remedy: 'The reply was cut off: check for a proxy between worker and provider that closes long responses.',
  },
  lost: {
    next: 'retry',
    remedy: 'Check why the worker ended, and start another one.',
  },
  cancelled: {
    next: 'end',
    remedy: 'Start the chain again if the cancel was not intended.',
  },
  not_called: {
    next: 'retry',
    remedy: 'Check that Temporal answers, and that all workers of this task queue run one version of Longhand.',
  },
  store_unavailable: {
    next: 'hold',
    retries: 5,
    remedy:
      'Check that the store of LONGHAND_STORE answers, and that all workers and the program that starts chains use the same one.',
  },
  invalid_result: {
    next: 'end',
    remedy:
      'Only a worker of Longhand may complete its activities: find out what completed this one, then start the chain again.',
  },
  internal: {
    next: 'end',
    remedy: "This is a fault in Longhand or in its set-up: see the worker's log.",
  },
};

export function isModelFailureKind(value: unknown): value is ModelFailureKind {
  return typeof value === 'string' && Object.hasOwn(providerFailures, value);
}

/**
 * Returns the milliseconds to wait after a failed attempt: the provider's `retry-after`, else a time that doubles with each
 * attempt. A provider that always requests a short wait does not cause an endless loop: later waits are as long as without
 * its request. Not random: the workflow and its readers must compute the same number.
 *
 * @param attempt the attempt that failed, from 1
 */
export function computeBackoffMs(attempt: number, retryAfterMs: number | null, maxIntervalMs: number): number {
  const backoffMs = doubleWait(defaults.modelBackoffMs, attempt, maxIntervalMs);
  if (retryAfterMs === null) return backoffMs;
  return attempt <= obeyedAttempts ? retryAfterMs : Math.max(retryAfterMs, backoffMs);
}

/** Attempts after which a wait is exactly what the provider requests. */
const obeyedAttempts = 5;

export function applyModelFailure(before: ChainState, failure: ModelFailure): Advance {
  const { flight, agent } = before;
  if (flight.kind !== 'model') return emit(before);
  const state = endFlight(settleFailure(before, flight.reservation, failure));
  if (flight.purpose === 'closing') return emit(skipClosing(state));
  if (state.stop !== null) return emit(state);
  if (failure.kind === 'context_overflow') return applyOverflow(state);
  const { next, remedy, retries = 0, holdAfterMs } = providerFailures[failure.kind];
  const message = `${failure.message.replace(/\.$/, '')}. ${remedy}`;
  const { retry, onProviderError } = agent?.model ?? modelWithoutAgent;
  const needsRepair = next === 'hold' && before.attempt > retries;
  if (next === 'end' || (needsRepair && onProviderError === 'fail')) {
    return stopChain(state, 'failure', { code: 'model_failed', message });
  }
  // A failed attempt waited for the provider, as the wait after it does.
  const waited = leaveOutOfTimeLimit(state, before.now - flight.startedAt);
  const isOutage = holdAfterMs !== undefined && computeFailingMs(before) >= holdAfterMs && onProviderError === 'hold';
  return waitForRetry(waited, retry, { ...failure, message, held: needsRepair || isOutage });
}

function computeFailingMs({ failing, now }: ChainState): number {
  return failing === null ? 0 : now - failing.since;
}

/** A task's files are stored when its agent is prepared. */
export function waitForStore(before: ChainState, { message }: FailureDetails): Advance {
  const kind = 'store_unavailable';
  const { retries = 0, remedy } = providerFailures[kind];
  return waitForRetry(endFlight(before), modelWithoutAgent.retry, {
    kind,
    message: `${message.replace(/\.$/, '')}. ${remedy}`,
    retryAfterMs: null,
    held: before.attempt > retries,
  });
}

/** The first call of a sub-chain also prepares its agent, which is prepared alone after a failure. */
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
  const waitMs = held ? defaults.heldRetryMs : computeBackoffMs(attempt, retryAfterMs, maxIntervalMs);
  const since = before.failing?.since ?? now;
  if ((attempts !== null && attempt >= attempts) || now + waitMs > since + forMs) {
    return stopChain(before, 'failure', { code: 'model_attempts', attempts: attempt, message });
  }
  // Without a wait there is no timer: Temporal's take up to a second even for 0.
  const flight: Flight = waitMs === 0 ? { kind: 'idle' } : { kind: 'modelRetry', waitMs, nextAt: now + waitMs };
  return emit(
    {
      ...before,
      attempt: attempt + 1,
      failing: { since, held, failure: kind, message: shorten(message, 500) },
      flight,
    },
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
  const isShown = attempt <= 5 || attempt % 10 === 0;
  return isShown
    ? [createNoticeEntry(before, 'model_retry', `Attempt ${attempt} at the model call failed: ${message}`)]
    : [];
}

/** The next rule of the turn summarizes the oldest steps (compact.ts), once: the shorter request is another call. */
function applyOverflow(state: ChainState): Advance {
  const { conversation } = state;
  if (conversation.overflow === 'compacted') return stopForRejectedContext(state);
  return emit({ ...state, attempt: 1, failing: null, conversation: { ...conversation, overflow: 'rejected' } });
}
