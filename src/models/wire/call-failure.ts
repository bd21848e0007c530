/**
 * Charges a failed model call (L6), and reads how long its provider asks to wait. No charge: an HTTP error status
 * before any event of the stream, or no request sent. The usage so far: a cancel after the reply had begun. The whole
 * reservation: every other case, because the provider may have charged for a reply that never arrived, also where a gateway
 * reports it as an HTTP error. Usage that did arrive replaces it (send-call.ts).
 */

import {
  isObject,
  type Json,
  type JsonObject,
  parseAmount,
  parseRetryAfter,
  toErrorMessage,
} from '../../core/lib/index.js';
import type { ModelFailure, ModelFailureKind, Usage } from '../../core/model/index.js';
import { classifyFailure } from './classify-failure.js';
import { findUnsentMark, getRootMessage, isTimeoutError, unsentKinds } from './connection.js';
import type { ModelCallResult } from './provider.js';
import type { WatchdogEnd } from './watchdog.js';

/** The error classes of a wire's SDK. */
export interface SdkErrors {
  /** Has `status`, `headers` and the body as `error` for an HTTP error. */
  readonly APIError: new (
    ...args: never[]
  ) => Error;
  readonly APIConnectionTimeoutError: new (...args: never[]) => Error;
}

/** Progress of a call when it failed. */
interface CallProgress {
  readonly sdk: SdkErrors;
  readonly reply: {
    readonly started: boolean;
    readonly computeUsageBound: (maxTokens: number, arrived: 'all') => Usage | null;
  };
  readonly response: Response | null;
  /** Why the watchdog ended the call; null if it did not. */
  readonly endedBy: WatchdogEnd | null;
  readonly maxTokens: number;
}

/** Failure for an error in the middle of a reply. @param event has the error as its member `error` */
export function toMidStreamFailure(event: JsonObject, response: Response): ModelFailure {
  const message = findMessage(event) ?? 'the provider sent an error without a message';
  const { status, types } = readErrorCodes(event);
  return {
    ...createFailure(classifyFailure(status, types, message), message),
    retryAfterMs: parseRetryAfterMs(response.headers, Date.now()),
  };
}

export function toFailedResult(failure: ModelFailure): ModelCallResult {
  return { ok: false, failure };
}

/** Failure for a stream that ended before its reply was complete. */
export function toIncompleteStreamFailure(): ModelFailure {
  return createFailure('cut', 'the reply ended before it was complete');
}

/** Failure for a response that is neither a stream nor a reply. @param api such as `a Messages API` */
export function toOtherServerFailure(response: Response, api: string): ModelFailure {
  const type = response.headers.get('content-type') ?? 'nothing';
  return createFailure('not_found', `the server at ${response.url} is not ${api}: it sent ${type}, expected events`);
}

/** Converts a thrown error to a failure. */
export function toErrorFailure(error: unknown, progress: CallProgress): ModelFailure {
  if (progress.endedBy === 'cancelled') return toCancelledFailure(error, progress);
  if (isStatusError(error, progress.sdk)) return toStatusFailure(error);
  const unsent = findUnsentMark(error);
  if (unsent !== null) return { ...createFailure(unsentKinds[unsent], getRootMessage(error)), settle: 'nothing' };
  if (progress.endedBy === 'stalled') return createFailure('timeout', 'the provider sent nothing for too long');
  if (progress.endedBy === 'overtime') return createFailure('timeout', 'the reply was not complete in time');
  if (error instanceof progress.sdk.APIConnectionTimeoutError || isTimeoutError(error))
    return createFailure('timeout', getRootMessage(error));
  if (progress.response !== null) return createFailure('cut', `the reply was interrupted: ${getRootMessage(error)}`);
  if (error instanceof progress.sdk.APIError) return createFailure('connection', getRootMessage(error));
  const message = toErrorMessage(error);
  // The SDK wraps network errors; it throws plain errors while it builds the request, such as for a missing key.
  const kind = /authentication method|credential/i.test(message) ? 'authentication' : 'internal';
  return { ...createFailure(kind, message), settle: 'nothing' };
}

function toCancelledFailure(error: unknown, { sdk, reply, maxTokens }: CallProgress): ModelFailure {
  const cancelled = createFailure('cancelled', 'the call was cancelled');
  const used = reply.started ? reply.computeUsageBound(maxTokens, 'all') : null;
  if (used !== null) return { ...cancelled, settle: 'usage', usage: used };
  if (reply.started) return cancelled;
  return isStatusError(error, sdk) || findUnsentMark(error) !== null ? { ...cancelled, settle: 'nothing' } : cancelled;
}

function toStatusFailure(error: StatusError): ModelFailure {
  const message = findMessage(error.error) ?? error.message;
  return {
    ...createFailure(classifyFailure(error.status, readErrorCodes(error.error).types, message), message),
    status: error.status,
    retryAfterMs: parseRetryAfterMs(error.headers, Date.now()),
    settle: isLostBehindGateway(error, message) ? 'reservation' : 'nothing',
  };
}

/** LiteLLM's proxy answers with an error when the provider's reply broke off before its first event, or took too long. */
function isLostBehindGateway({ status, headers }: StatusError, message: string): boolean {
  if (!headers.has('x-litellm-version')) return false;
  return status === 408 || /payload is not completed|server disconnected|peer closed connection/i.test(message);
}

interface StatusError extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** The body, or its member `error`. */
  readonly error: unknown;
}

function isStatusError(error: unknown, sdk: SdkErrors): error is StatusError {
  return error instanceof sdk.APIError && 'status' in error && typeof error.status === 'number';
}

/** Finds the error in a body: Gemini sends it in a list. */
function findError(body: unknown): JsonObject | null {
  const content = Array.isArray(body) ? body[0] : body;
  if (!isObject(content)) return null;
  return isObject(content.error) ? content.error : content;
}

/** Returns the error's types, the most exact one first; and its HTTP status, where a stream has it as `code`. */
export function readErrorCodes(body: unknown): { readonly status: number | null; readonly types: readonly string[] } {
  const { code = null, type = null } = findError(body) ?? {};
  return {
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : null,
    types: [code, type].filter((name) => typeof name === 'string'),
  };
}

/**
 * Finds the message: `{ error: { message } }` of the APIs, or `{ error }`, `{ message }`, `{ detail }` of other servers.
 */
export function findMessage(body: unknown): string | null {
  const error = findError(body);
  if (error === null) return null;
  const candidates = [error.error, error.message, error.detail].filter((member) => !isMissing(member));
  return (
    candidates.map((candidate) => (typeof candidate === 'string' ? candidate : JSON.stringify(candidate)))[0] ?? null
  );
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** Creates a failure charged in full, the default. */
export function createFailure(kind: ModelFailureKind, message: string): ModelFailure {
  // A proxy's error page is long, and failures are part of the history.
  const clipped = message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
  return { kind, message: clipped, status: null, retryAfterMs: null, settle: 'reservation', usage: null };
}

/**
 * Returns milliseconds, or null without a header. `retry-after-ms` is exact and comes first; `retry-after` is in
 * seconds, or a date. LiteLLM's proxy returns the provider's headers with a prefix.
 *
 * @param now milliseconds since 1970, the base of a date
 */
export function parseRetryAfterMs(headers: Headers, now: number): number | null {
  const get = (name: string) => headers.get(name) ?? headers.get(`llm_provider-${name}`);
  const exact = parseAmount(get('retry-after-ms'));
  return exact === null ? parseRetryAfter(get('retry-after'), now) : Math.ceil(exact);
}
