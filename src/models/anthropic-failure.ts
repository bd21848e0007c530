/**
 * L6: what a failed call is charged, and how long its provider asks to wait. The charge is nothing when an HTTP error status
 * came before any event of the stream, or no request was sent; the usage so far after a cancel in an answer that had begun;
 * the whole reservation in every other case, since the provider may have charged for what never arrived.
 */

import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { classifyFailure } from '../core/engine/provider-failure.js';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { ModelFailure, ModelFailureKind } from '../core/model/fact.js';
import { findUnsentKind, getRootMessage, isTimeoutError } from './connection.js';
import type { ReplyStream } from './reply-stream.js';
import type { WatchdogEnd } from './watchdog.js';

/** How far a call had come when it failed. */
interface CallProgress {
  readonly stream: ReplyStream;
  readonly response: Response | null;
  /** Why we ended it ourselves, if we did. */
  readonly endedBy: WatchdogEnd | null;
  readonly maxTokens: number;
}

/** The provider said in the middle of its answer that it cannot go on. */
export function toMidStreamFailure(event: JsonObject, response: Response): ModelFailure {
  const type = isObject(event.error) ? event.error.type : null;
  const message = findMessage(event) ?? 'the provider sent an error without a message';
  return {
    ...createFailure(classifyFailure(null, typeof type === 'string' ? type : null, message), message),
    retryAfterMs: parseRetryAfterMs(response.headers, Date.now()),
  };
}

/** A stream that ended before its `message_stop`, or never was one. */
export function toIncompleteStreamFailure(response: Response): ModelFailure {
  const type = response.headers.get('content-type') ?? 'nothing';
  return type.includes('event-stream')
    ? createFailure('cut', 'the answer ended before it was complete')
    : createFailure(
        'not_found',
        `what answered at ${response.url} speaks no Messages API: it sent ${type}, not events`,
      );
}

/** Whatever was thrown, as a failure. */
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
  if (progress.endedBy === 'stalled') return createFailure('timeout', 'nothing came from the provider for too long');
  if (progress.endedBy === 'overtime') return createFailure('timeout', 'the answer was not complete in time');
  if (error instanceof APIConnectionTimeoutError || isTimeoutError(error))
    return createFailure('timeout', getRootMessage(error));
  if (progress.response !== null) return createFailure('cut', `the answer broke off: ${getRootMessage(error)}`);
  if (error instanceof APIError) return createFailure('connection', getRootMessage(error));
  const message = error instanceof Error ? error.message : String(error);
  // The SDK wraps what fails on the way; plain errors are thrown while the request is put together, as for want of a key.
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

/** `{ error: { message } }` is the wire's own; servers of other models also send `{ error }`, `{ message }`, `{ detail }`. */
function findMessage(body: unknown): string | null {
  if (!isObject(body)) return null;
  const told: readonly (Json | undefined)[] = [
    isObject(body.error) ? body.error.message : body.error,
    body.message,
    body.detail,
  ];
  return told.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

/** A failure that is charged in full, as every one is unless a rule says otherwise. */
function createFailure(kind: ModelFailureKind, message: string): ModelFailure {
  // A proxy's error page is long, and a failure is kept in the history for ever.
  const clipped = message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
  return { kind, message: clipped, status: null, retryAfterMs: null, settle: 'reservation', usage: null };
}

/**
 * Milliseconds, or null where the headers do not say. `retry-after-ms` is exact and goes first;
 * `retry-after` is in seconds, or a date.
 *
 * @param now milliseconds since 1970, which a date is counted from
 */
function parseRetryAfterMs(headers: Headers, now: number): number | null {
  const exact = parseAmount(headers.get('retry-after-ms'));
  if (exact !== null) return Math.ceil(exact);
  const said = headers.get('retry-after');
  const seconds = parseAmount(said);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = said === null ? Number.NaN : Date.parse(said);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function parseAmount(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const value = Number(header);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
