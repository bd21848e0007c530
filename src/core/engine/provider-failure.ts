/**
 * All failures of model calls: whether a retry may succeed, and the remedy for people. The chain decides by this table (L4:
 * a failure is data): it retries after a wait, or ends. Every message about such a failure takes its remedy from here. Also
 * classifies providers' errors.
 */

import { defaults, doubleWait } from '../model/defaults.js';
import type { ModelFailure, ModelFailureKind } from '../model/fact.js';
import type { ChainState, Flight } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleFailure } from '../state/budget.js';
import { createNoticeEntry } from '../state/entry.js';
import { endFlight } from '../state/flight.js';
import { skipClosing, stopChain, stopForRejectedContext } from '../state/stop.js';

interface FailureRule {
  /** Whether a retry may succeed. */
  readonly retryable: boolean;
  /** What to do, in one sentence. */
  readonly remedy: string;
}

export const providerFailures: Readonly<Record<ModelFailureKind, FailureRule>> = {
  bad_request: {
    retryable: false,
    remedy: "The provider rejected the request: compare the agent's model options with what the model supports.",
  },
  authentication: {
    retryable: false,
    remedy: 'Set ANTHROPIC_API_KEY to a valid key of the provider (with LONGHAND_MODEL_URL: the key of that server).',
  },
  billing: {
    retryable: false,
    remedy: "Add credit to the provider's account, or raise its spending limit, then start the chain again.",
  },
  permission: {
    retryable: false,
    remedy: "The key may not use this model: give it access in the provider's console, or choose another model.",
  },
  not_found: {
    retryable: false,
    remedy: "Check the model's name, and LONGHAND_MODEL_URL where it is set: it is the server's address without /v1.",
  },
  too_large: {
    retryable: false,
    remedy: "The request has too many bytes: lower the agent's maxObservationTokens, or give it a smaller task.",
  },
  context_overflow: {
    retryable: false,
    remedy:
      "The conversation does not fit the model's context window: lower maxObservationTokens, shorten the task, or choose a model with a larger window.",
  },
  rate_limit: {
    retryable: true,
    remedy: 'Run fewer chains at once, or ask the provider for a higher rate limit.',
  },
  overloaded: {
    retryable: true,
    remedy: 'The provider is overloaded: start the chain again later, or choose another model.',
  },
  server_error: {
    retryable: true,
    remedy: "The provider failed: check its status page or the server's log, and start the chain again later.",
  },
  timeout: {
    retryable: true,
    remedy: "The model did not answer in time: check the provider's status, or raise the timeout of model calls.",
  },
  connection: {
    retryable: true,
    remedy:
      'Check that the worker reaches the provider: its network, its proxy, and LONGHAND_MODEL_URL where it is set.',
  },
  cut: {
    retryable: true,
    remedy: 'The reply was cut off: check for a proxy between worker and provider that closes long responses.',
  },
  lost: {
    retryable: true,
    remedy: 'The worker that made the call stopped: start a worker, and check why this one ended.',
  },
  cancelled: {
    retryable: false,
    remedy: 'Start the chain again if the cancel was not intended.',
  },
  not_called: {
    retryable: true,
    remedy:
      'Check that Temporal answers, and that all workers of this task queue run one version of Longhand and have the agent.',
  },
  invalid_result: {
    retryable: false,
    remedy:
      'Only a worker of Longhand may complete its activities: find out what completed this one, then start the chain again.',
  },
  internal: {
    retryable: false,
    remedy: "This is a fault in Longhand or in its set-up: see the worker's log.",
  },
};

export function isModelFailureKind(value: unknown): value is ModelFailureKind {
  return typeof value === 'string' && Object.hasOwn(providerFailures, value);
}

const kindsByStatus: Readonly<Record<number, ModelFailureKind>> = {
  400: 'bad_request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  405: 'not_found',
  408: 'timeout',
  // A conflict is temporary, and the provider's own.
  409: 'server_error',
  410: 'not_found',
  413: 'too_large',
  422: 'bad_request',
  429: 'rate_limit',
  529: 'overloaded',
};

/** Error types of the Messages API. An `error` event in a stream has no status. */
const kindsByErrorType: ReadonlyMap<string, ModelFailureKind> = new Map([
  ['invalid_request_error', 'bad_request'],
  ['authentication_error', 'authentication'],
  ['billing_error', 'billing'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not_found'],
  ['request_too_large', 'too_large'],
  ['rate_limit_error', 'rate_limit'],
  ['timeout_error', 'timeout'],
  ['api_error', 'server_error'],
  ['overloaded_error', 'overloaded'],
]);

/** Messages of Claude, vLLM, llama.cpp, Ollama and OpenAI (behind a proxy) for a conversation that is too long. */
const overflowPattern =
  /prompt is too long|input is too long|context[ _-]?(length|window|limit|size)|maximum context|exceeds? .{0,40}\bcontext\b/i;

const noCreditPattern = /credit balance is too low|insufficient (credit|funds)/i;

/**
 * Classifies a failure that the provider reported.
 *
 * @param status HTTP status, or null where the failure came in a stream
 * @param errorType the body's `error.type`, or null
 * @param message the body's `error.message`
 */
export function classifyFailure(status: number | null, errorType: string | null, message: string): ModelFailureKind {
  const kind = toFailureKind(status, errorType);
  if (kind === 'bad_request' || kind === 'too_large') {
    if (overflowPattern.test(message)) return 'context_overflow';
    if (noCreditPattern.test(message)) return 'billing';
  }
  return kind;
}

function toFailureKind(status: number | null, errorType: string | null): ModelFailureKind {
  const named = errorType === null ? undefined : kindsByErrorType.get(errorType);
  // Some gateways return it with status 500 or 503; the type is more exact.
  if (named === 'overloaded' || status === null) return named ?? 'server_error';
  return kindsByStatus[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}

/**
 * Returns the milliseconds to wait after a failed attempt: the provider's `retry-after`, else a time that doubles with each
 * attempt. Not random: the workflow and its readers must compute the same number.
 *
 * @param attempt the attempt that failed, from 1
 */
export function computeBackoffMs(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return retryAfterMs;
  return doubleWait(defaults.modelBackoffMs, attempt, defaults.modelBackoffLongestMs);
}

export function applyModelFailure(before: ChainState, failure: ModelFailure): Advance {
  const { flight, agent } = before;
  if (flight.kind !== 'model') return emit(before);
  const state = endFlight(settleFailure(before, flight.reservation, failure));
  if (flight.purpose === 'closing') return emit(skipClosing(state));
  if (state.stop !== null) return emit(state);
  const { retryable, remedy } = providerFailures[failure.kind];
  const message = `${failure.message.replace(/\.$/, '')}. ${remedy}`;
  if (failure.kind === 'context_overflow') return applyOverflow(state);
  if (!retryable) return stopChain(state, 'failure', { code: 'model_failed', message });
  if (state.attempt >= (agent?.model.attempts ?? defaults.modelAttempts)) {
    return stopChain(state, 'failure', { code: 'model_attempts', attempts: state.attempt, message });
  }
  const waitMs = computeBackoffMs(state.attempt, failure.retryAfterMs);
  const text = `Attempt ${state.attempt} at the model call failed: ${failure.message}`;
  // Without a wait there is no timer: Temporal's take up to a second even for 0.
  const next: Flight = waitMs === 0 ? { kind: 'idle' } : { kind: 'retry', waitMs, running: false };
  return emit({ ...state, attempt: state.attempt + 1, flight: next }, createNoticeEntry(state, 'model_retry', text));
}

/** The next rule of the turn summarizes the oldest steps (compact.ts), once: the shorter request is another call. */
function applyOverflow(state: ChainState): Advance {
  const { conversation } = state;
  if (conversation.overflow === 'compacted') return stopForRejectedContext(state);
  return emit({ ...state, attempt: 1, conversation: { ...conversation, overflow: 'rejected' } });
}
