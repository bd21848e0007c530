/**
 * The one table over what can go wrong with a call of the model: whether the same call may be made again, and what a person
 * can do about it. The chain decides by it (L4: a failure is data): the call is made once more after a wait, or the chain
 * ends. Every message to a person takes its remedy from here. Why a failure has its kind is decided here too.
 */

import { defaults } from '../model/defaults.js';
import type { ModelFailure, ModelFailureKind } from '../model/fact.js';
import type { Flight, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleFailure } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { idle } from '../state/flight.js';
import { contextIsFull, giveUpClosing, stopWith } from '../state/stop.js';

interface FailureRule {
  /** Whether the same call may succeed later. */
  readonly again: boolean;
  /** What a person can do, in one sentence. */
  readonly remedy: string;
}

export const providerFailures: Readonly<Record<ModelFailureKind, FailureRule>> = {
  bad_request: {
    again: false,
    remedy: "The provider does not take this request: check the agent's model options against what the model supports.",
  },
  authentication: {
    again: false,
    remedy: 'Set ANTHROPIC_API_KEY to a valid key of the provider (with LONGHAND_MODEL_URL: the key of that server).',
  },
  billing: {
    again: false,
    remedy: "Add credit to the provider's account, or raise its spending limit, then start the chain again.",
  },
  permission: {
    again: false,
    remedy: "The key may not use this model: give it access in the provider's console, or choose another model.",
  },
  not_found: {
    again: false,
    remedy: "Check the model's name, and LONGHAND_MODEL_URL where it is set: it is the server's address without /v1.",
  },
  too_large: {
    again: false,
    remedy: "The request has too many bytes: lower the agent's maxObservationTokens, or give it a smaller task.",
  },
  context_overflow: {
    again: false,
    remedy:
      "The conversation no longer fits the model's context: lower maxObservationTokens or the limit of steps, or choose a model with a larger context.",
  },
  rate_limit: {
    again: true,
    remedy: 'Run fewer chains at once, or ask the provider for a higher rate limit.',
  },
  overloaded: {
    again: true,
    remedy: 'The provider has too much to do: start the chain again later, or choose another model.',
  },
  server_error: {
    again: true,
    remedy: "The provider failed: look at its status page, or at the server's log, and start the chain again later.",
  },
  timeout: {
    again: true,
    remedy: "The model did not answer in time: look at the provider's status, or give the model's calls more time.",
  },
  connection: {
    again: true,
    remedy:
      'Check that the worker reaches the provider: its network, its proxy, and LONGHAND_MODEL_URL where it is set.',
  },
  cut: {
    again: true,
    remedy: 'The answer broke off: look for a proxy between worker and provider that closes long answers.',
  },
  lost: {
    again: true,
    remedy: 'The worker that made the call stopped: see that a worker runs, and why this one ended.',
  },
  cancelled: {
    again: false,
    remedy: 'Start the chain again if this was not meant.',
  },
  not_called: {
    again: true,
    remedy:
      'See that Temporal answers, and that all workers of this task queue run one version of Longhand and have the agent.',
  },
  invalid_result: {
    again: false,
    remedy:
      'Only a worker of Longhand may complete its activities: find out who completed this one, then start the chain again.',
  },
  internal: {
    again: false,
    remedy: "This is a fault in Longhand or in its set-up: the worker's log says more.",
  },
};

export function isModelFailureKind(value: unknown): value is ModelFailureKind {
  return typeof value === 'string' && Object.hasOwn(providerFailures, value);
}

const byStatus: Readonly<Record<number, ModelFailureKind>> = {
  400: 'bad_request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  405: 'not_found',
  408: 'timeout',
  // A conflict is the provider's own matter, and passes.
  409: 'server_error',
  410: 'not_found',
  413: 'too_large',
  422: 'bad_request',
  429: 'rate_limit',
  529: 'overloaded',
};

/** The wire's own words, which come without a status when an answer breaks off with an `error` event. */
const byType: ReadonlyMap<string, ModelFailureKind> = new Map([
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

/** How Claude, vLLM, llama.cpp, Ollama and OpenAI (behind a proxy) say that a conversation is too long. */
const overflow =
  /prompt is too long|input is too long|context[ _-]?(length|window|limit|size)|maximum context|exceeds? .{0,40}\bcontext\b/i;

const noCredit = /credit balance is too low|insufficient (credit|funds)/i;

/**
 * The kind of a failure that the provider reported.
 *
 * @param status HTTP status, or null where the failure came in the middle of an answer
 * @param errorType the body's `error.type`, or null
 * @param message the body's `error.message`
 */
export function classifyStatus(status: number | null, errorType: string | null, message: string): ModelFailureKind {
  const kind = kindOf(status, errorType);
  if (kind === 'bad_request' || kind === 'too_large') {
    if (overflow.test(message)) return 'context_overflow';
    if (noCredit.test(message)) return 'billing';
  }
  return kind;
}

function kindOf(status: number | null, errorType: string | null): ModelFailureKind {
  const named = errorType === null ? undefined : byType.get(errorType);
  // Some gateways answer 500 or 503 to it; the type is the more exact word.
  if (named === 'overloaded' || status === null) return named ?? 'server_error';
  return byStatus[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}

/**
 * Milliseconds to wait after a failed attempt. What the provider asks for is honoured as it is; else the
 * wait doubles with each attempt. No randomness: workflow and readers must find the same number.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoffMs(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return retryAfterMs;
  return Math.min(defaults.modelBackoffMs * 2 ** Math.max(0, attempt - 1), defaults.modelBackoffLongestMs);
}

export function failModelCall(before: State, failure: ModelFailure): Advance {
  const { flight } = before;
  if (flight.kind !== 'model') return emit(before);
  const state = idle(settleFailure(before, flight.reservation, failure));
  if (flight.purpose === 'closing') return emit(giveUpClosing(state));
  if (state.stop !== null) return emit(state);
  const { again, remedy } = providerFailures[failure.kind];
  const says = `${failure.message.replace(/\.$/, '')}. ${remedy}`;
  if (failure.kind === 'context_overflow') return contextIsFull(state);
  if (!again) return stopWith(state, 'failure', { code: 'model_failed', message: says });
  if (state.attempt >= defaults.modelAttempts) {
    return stopWith(state, 'failure', { code: 'model_attempts', attempts: state.attempt, message: says });
  }
  const waitMs = backoffMs(state.attempt, failure.retryAfterMs);
  const text = `Attempt ${state.attempt} at the model call failed: ${failure.message}`;
  // Nothing to wait for needs no timer: Temporal's take up to a second even for none.
  const next: Flight = waitMs === 0 ? { kind: 'idle' } : { kind: 'retry', waitMs, running: false };
  return emit({ ...state, attempt: state.attempt + 1, flight: next }, notice(state, 'retry', text));
}
