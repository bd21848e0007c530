/**
 * All failures of model calls: whether a retry or another model may succeed, and the remedy for people. The chain decides by
 * this table (L4: a failure is data): it asks the agent's next model immediately, retries after a wait, holds until a person has
 * repaired the cause, or ends. Every message about such a failure takes its remedy from here.
 *
 * One of them is not the provider's: the store with the files of a request, or of a task, does not answer.
 */

import { check } from '../lib/index.js';
import { defaults, keyVariables, type ModelFailureKind } from '../model/index.js';

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
  /** Whether another model may succeed: the call falls back to the next one immediately (fall-back.ts). */
  readonly fallsBack?: true;
  /** What to do, in one sentence. */
  readonly remedy: string;
}

export const providerFailures: Readonly<Record<ModelFailureKind, FailureRule>> = {
  bad_request: {
    next: 'end',
    fallsBack: true,
    remedy: "The provider rejected the request: compare the agent's model options with what the model supports.",
  },
  authentication: {
    next: 'hold',
    fallsBack: true,
    remedy: `Set a valid key of this provider (${keyVariables.join(', ')} or apiKey; with LONGHAND_MODEL_URL: the key of that server), and restart the worker.`,
  },
  billing: {
    next: 'hold',
    fallsBack: true,
    remedy: "Add credit to the provider's account, or raise its spending limit.",
  },
  permission: {
    next: 'hold',
    fallsBack: true,
    remedy: "The key may not use this model: give it access in the provider's console, or choose another model.",
  },
  not_found: {
    next: 'hold',
    fallsBack: true,
    remedy: "Check the model's name, and that the address of the provider (LONGHAND_MODEL_URL, where set) is right.",
  },
  too_large: {
    next: 'end',
    fallsBack: true,
    remedy: "The request has too many bytes: lower the agent's maxObservationTokens, or give it a smaller task.",
  },
  context_overflow: {
    next: 'end',
    fallsBack: true,
    remedy:
      "The conversation does not fit the model's context window: lower maxObservationTokens, shorten the task, or choose a model with a larger window.",
  },
  rate_limit: {
    next: 'retry',
    fallsBack: true,
    remedy: 'Run fewer chains at once, or ask the provider for a higher rate limit.',
  },
  overloaded: {
    next: 'retry',
    fallsBack: true,
    remedy: 'The provider is overloaded: run fewer chains at once, or choose another model.',
  },
  server_error: {
    next: 'retry',
    fallsBack: true,
    remedy: "The provider failed: check its status page or the server's log.",
  },
  timeout: {
    next: 'retry',
    fallsBack: true,
    remedy: "The model did not answer in time: check the provider's status, or raise the timeout of model calls.",
  },
  connection: {
    next: 'retry',
    holdAfterMs: defaults.outageMs,
    fallsBack: true,
    remedy:
      'Check that the provider runs, and that the worker reaches it: its network, its proxy, and LONGHAND_MODEL_URL where it is set.',
  },
  unknown_host: {
    next: 'hold',
    retries: 5,
    fallsBack: true,
    remedy: "Check the provider's address (LONGHAND_MODEL_URL or baseURL), and the worker's DNS and proxy.",
  },
  cut: {
    next: 'retry',
    fallsBack: true,
    remedy: 'The reply was cut off: check for a proxy between worker and provider that closes long responses.',
  },
  invalid_reply: {
    next: 'retry',
    fallsBack: true,
    remedy: "The provider's reply broke the order of its API: check its status, and the version of a proxy before it.",
  },
  circuit_open: {
    next: 'retry',
    holdAfterMs: defaults.outageMs,
    fallsBack: true,
    remedy: "Check the provider's status: earlier calls failed, and one call at a time tries it again.",
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
  budget: {
    next: 'retry',
    fallsBack: true,
    remedy: 'Raise the budget (`longhand budget raise`), or wait for its next window.',
  },
  throttled: {
    next: 'retry',
    remedy: 'The call waits for its turn: raise `rates` or the `rate` of its agent if the provider allows more.',
  },
  refused: {
    next: 'end',
    fallsBack: true,
    remedy: 'The model refused to continue: change the task, or name a model in `fallbacks` that may answer it.',
  },
  data_class: {
    next: 'hold',
    fallsBack: true,
    remedy:
      "Give the agent a model that may see this data, or add the class to `dataClasses` of a model's catalogue entry.",
  },
  not_allowed: {
    next: 'hold',
    fallsBack: true,
    remedy: "Give the agent a model that the worker's `modelRules` and hooks allow for this chain, or change them.",
  },
  invalid_result: {
    next: 'end',
    remedy:
      'Only a worker of Longhand may complete its activities: find out what completed this one, then start the chain again.',
  },
  invalid_provider: {
    next: 'end',
    fallsBack: true,
    remedy:
      'Correct the code of this provider: its `call` must return { ok: true, reply } or { ok: false, failure }, as the type ModelCallResult states.',
  },
  internal: {
    next: 'end',
    remedy: "This is a fault in Longhand or in its set-up: see the worker's log.",
  },
};

/** Adds the remedy of a failure to its message. */
export function addRemedy(kind: ModelFailureKind, message: string): string {
  return `${message.replace(/\.$/, '')}. ${providerFailures[kind].remedy}`;
}

/** Whether a call was rejected before it was made, by a budget or a rate. */
export function isRejectedCall(kind: ModelFailureKind): kind is 'budget' | 'throttled' {
  return kind === 'budget' || kind === 'throttled';
}

export const checkFailureKind = check.define<ModelFailureKind>(
  (value) => typeof value === 'string' && Object.hasOwn(providerFailures, value),
  'must be a kind of ModelFailure',
);
