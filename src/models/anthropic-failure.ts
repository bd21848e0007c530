/**
 * Charges a failed model call (L6), and reads how long its provider asks to wait. No charge: an HTTP error status
 * before any event of the stream, or no request sent. The usage so far: a cancel after the reply had begun. The whole
 * reservation: every other case, because the provider may have charged for a reply that never arrived.
 */

import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { toErrorMessage } from '../core/lib/errors.js';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { ModelFailure, ModelFailureKind } from '../core/model/fact.js';
import { classifyFailure } from './classify-failure.js';
import { findUnsentKind, getRootMessage, isTimeoutError } from './connection.js';
import type { ReplyStream } from './reply-stream.js';
import type { WatchdogEnd } from './watchdog.js';

/** Progress of a call when it failed. */
interface CallProgress {
  readonly stream: ReplyStream;
  readonly response: Response | null;
  /** Why the watchdog ended the call; null if it did not. */
  readonly endedBy: WatchdogEnd | null;
  readonly maxTokens: number;
}

/** Failure for an error event in the middle of a reply. */
export function toMidStreamFailure(event: JsonObject, response: Response): ModelFailure {
  const type = isObject(event.error) ? event.error.type : null;
  const message = findMessage(event) ?? 'the provider sent an error without a message';
  return {
    ...createFailure(classifyFailure(null, typeof type === 'string' ? type : null, message), message),
    retryAfterMs: parseRetryAfterMs(response.headers, Date.now()),
  };
}

/** Failure for a stream that ended before its reply was complete, or a response that is no stream. */
export function toIncompleteStreamFailure(response: Response): ModelFailure {
  const type = response.headers.get('content-type') ?? 'nothing';
  return type.includes('event-stream')
    ? createFailure('cut', 'the reply ended before it was complete')
    : createFailure(
        'not_found',
        `the server at ${response.url} is not a Messages API: it sent ${type}, expected events`,
      );
}

/** Converts a thrown error to a failure. */
export function toErrorFailure(error: unknown, progress: CallProgress): ModelFailure {
  if (progress.endedBy === 'cancelled') return toCancelledFailure(error, progress);
  if (isStatusError(error)) return toStatusFailure(error);
  const unsent = findUnsentKind(error);
  if (unsent !== null) {
    return {
      ...createFailure(unsent === 'ever' ? 'not_found' : 'connection', getRootMessage(error)),
      settle: 'nothing',
    };
  }
  if (progress.endedBy === 'stalled') return createFailure('timeout', 'the provider sent nothing for too long');
  if (progress.endedBy === 'overtime') return createFailure('timeout', 'the reply was not complete in time');
  if (error instanceof APIConnectionTimeoutError || isTimeoutError(error))
    return createFailure('timeout', getRootMessage(error));
  if (progress.response !== null) return createFailure('cut', `the reply was interrupted: ${getRootMessage(error)}`);
  if (error instanceof APIError) return createFailure('connection', getRootMessage(error));
  const message = toErrorMessage(error);
  // The SDK wraps network errors; it throws plain errors while it builds the request, such as for a missing key.
  const kind = /authentication method|credential/i.test(message) ? 'authentication' : 'internal';
  return { ...createFailure(kind, message), settle: 'nothing' };
}

function toCancelledFailure(error: unknown, { stream, maxTokens }: CallProgress): ModelFailure {
  const cancelled = createFailure('cancelled', 'the call was cancelled');
  const used = stream.started ? stream.computeUsageBound(maxTokens) : null;
  if (used !== null) return { ...cancelled, settle: 'usage', usage: used };
  if (stream.started) return cancelled;
  return isStatusError(error) || findUnsentKind(error) !== null ? { ...cancelled, settle: 'nothing' } : cancelled;
}

function toStatusFailure(error: StatusError): ModelFailure {
  const message = findMessage(error.error) ?? error.message;
  return {
    ...createFailure(classifyFailure(error.status, error.type, message), message),
    status: error.status,
    retryAfterMs: parseRetryAfterMs(error.headers, Date.now()),
    settle: 'nothing',
  };
}

type StatusError = APIError & { readonly status: number; readonly headers: Headers };

function isStatusError(error: unknown): error is StatusError {
  return error instanceof APIError && typeof error.status === 'number';
}

/**
 * Finds the message: `{ error: { message } }` of the API, or `{ error }`, `{ message }`, `{ detail }` of other servers.
 */
function findMessage(body: unknown): string | null {
  if (!isObject(body)) return null;
  const candidates: readonly (Json | undefined)[] = [
    isObject(body.error) ? body.error.message : body.error,
    body.message,
    body.detail,
  ];
  return candidates.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

/** Creates a failure charged in full, the default. */
function createFailure(kind: ModelFailureKind, message: string): ModelFailure {
  // A proxy's error page is long, and failures are part of the history.
  const clipped = message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
  return { kind, message: clipped, status: null, retryAfterMs: null, settle: 'reservation', usage: null };
}

/**
 * Returns milliseconds, or null without a header. `retry-after-ms` is exact and comes first; `retry-after` is in
 * seconds, or a date.
 *
 * @param now milliseconds since 1970, the base of a date
 */
function parseRetryAfterMs(headers: Headers, now: number): number | null {
  const exact = parseAmount(headers.get('retry-after-ms'));
  if (exact !== null) return Math.ceil(exact);
  const header = headers.get('retry-after');
  const seconds = parseAmount(header);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function parseAmount(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const value = Number(header);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
