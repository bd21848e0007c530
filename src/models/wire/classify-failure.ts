/** The kind of a failure that a provider reported, by its HTTP status, its error type and its message. */

import type { ModelFailureKind } from '../../core/model/index.js';

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

/**
 * Error types of the Messages API, and types and codes of Chat Completions. An error in a stream has no status, and a
 * status is often less exact.
 */
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
  ['insufficient_quota', 'billing'],
  ['context_length_exceeded', 'context_overflow'],
  ['exceed_context_size_error', 'context_overflow'],
  ['model_not_found', 'not_found'],
  ['invalid_api_key', 'authentication'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['server_error', 'server_error'],
]);

/** Kinds that are more exact than any status. OpenAI reports missing credit with status 429. */
const exactKinds: ReadonlySet<ModelFailureKind> = new Set(['overloaded', 'billing', 'context_overflow'] as const);

/** Messages of Claude, vLLM, llama.cpp, Ollama and OpenAI (behind a proxy) for a conversation that is too long. */
const overflowPattern =
  /prompt is too long|input is too long|context[ _-]?(length|window|limit|size)|maximum context|exceeds? .{0,40}\bcontext\b/i;

const noCreditPattern = /credit balance is too low|insufficient (credit|funds)/i;

/** Message of LiteLLM's proxy without a database for any key but its master key, with status 400. */
const unknownKeyPattern = /^no connected db/i;

/** Messages of OpenRouter and LiteLLM, with status 400. */
const unknownModelPattern = /is not a valid model|invalid model name|\bmodel\b.{0,120}\b(not found|does not exist)\b/i;

/**
 * Classifies a failure that the provider reported.
 *
 * @param status HTTP status, or null if the failure came in a stream
 * @param errorTypes the body's `error.code` and `error.type`, where they are names; the most exact one first
 * @param message the body's `error.message`
 */
export function classifyFailure(
  status: number | null,
  errorTypes: readonly string[],
  message: string,
): ModelFailureKind {
  const kind = toFailureKind(status, errorTypes);
  if (kind === 'bad_request' || kind === 'too_large') {
    if (overflowPattern.test(message)) return 'context_overflow';
    if (noCreditPattern.test(message)) return 'billing';
    if (unknownModelPattern.test(message)) return 'not_found';
    if (unknownKeyPattern.test(message)) return 'authentication';
  }
  return kind;
}

function toFailureKind(status: number | null, errorTypes: readonly string[]): ModelFailureKind {
  const typeKind = errorTypes.map((type) => kindsByErrorType.get(type)).find((kind) => kind !== undefined);
  if (typeKind !== undefined && (status === null || exactKinds.has(typeKind))) return typeKind;
  if (status === null) return 'server_error';
  return kindsByStatus[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}
