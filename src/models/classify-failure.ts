/** The kind of a failure that a provider reported, by its HTTP status, its error type and its message. */

import type { ModelFailureKind } from '../core/model/fact.js';

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
