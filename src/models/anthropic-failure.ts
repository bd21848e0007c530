/**
 * L6: what a failed call is charged, and how long its provider asks to wait. The charge is nothing when an HTTP error status
 * came before any event of the stream, or no request was sent; the usage so far after a cancel in an answer that had begun;
 * the whole reservation in every other case, since the provider may have charged for what never arrived.
 */

import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { classifyStatus } from '../core/engine/provider-failure.js';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { ModelFailure, ModelFailureKind } from '../core/model/fact.js';
import { neverSentIn, reasonOf, wasTooSlow } from './connection.js';
import type { ReplyStream } from './reply-stream.js';
import type { WatchEnd } from './watchdog.js';

/** How far a call had come when it failed. */
interface Progress {
  readonly stream: ReplyStream;
  readonly response: Response | null;
  /** Why we ended it ourselves, if we did. */
  readonly ended: WatchEnd | null;
  readonly maxTokens: number;
}

/** The provider said in the middle of its answer that it cannot go on. */
export function midStreamFailure(event: JsonObject, response: Response): ModelFailure {
  const type = isObject(event.error) ? event.error.type : null;
  const message = messageIn(event) ?? 'the provider sent an error without a message';
  return {
    ...failure(classifyStatus(null, typeof type === 'string' ? type : null, message), message),
    retryAfterMs: retryAfterMs(response.headers, Date.now()),
  };
}

/** A stream that ended before its `message_stop`, or never was one. */
export function endedFailure(response: Response): ModelFailure {
  const type = response.headers.get('content-type') ?? 'nothing';
  return type.includes('event-stream')
    ? failure('cut', 'the answer ended before it was complete')
    : failure('not_found', `what answered at ${response.url} speaks no Messages API: it sent ${type}, not events`);
}

/** Whatever was thrown, as a failure. */
export function thrownFailure(error: unknown, progress: Progress): ModelFailure {
  if (progress.ended === 'cancelled') return cancelledFailure(error, progress);
  if (isStatusError(error)) return statusFailure(error);
  const unsent = neverSentIn(error);
  if (unsent !== null) {
    return { ...failure(unsent === 'ever' ? 'not_found' : 'connection', reasonOf(error)), settle: 'nothing' };
  }
  if (progress.ended === 'stalled') return failure('timeout', 'nothing came from the provider for too long');
  if (progress.ended === 'overtime') return failure('timeout', 'the answer was not complete in time');
  if (error instanceof APIConnectionTimeoutError || wasTooSlow(error)) return failure('timeout', reasonOf(error));
  if (progress.response !== null) return failure('cut', `the answer broke off: ${reasonOf(error)}`);
  if (error instanceof APIError) return failure('connection', reasonOf(error));
  const message = error instanceof Error ? error.message : String(error);
  // The SDK wraps what fails on the way; plain errors are thrown while the request is put together, as for want of a key.
  const kind = /authentication method|credential/i.test(message) ? 'authentication' : 'internal';
  return { ...failure(kind, message), settle: 'nothing' };
}

function cancelledFailure(error: unknown, { stream, maxTokens }: Progress): ModelFailure {
  const cancelled = failure('cancelled', 'the call was cancelled');
  const used = stream.started ? stream.usageBound(maxTokens) : null;
  if (used !== null) return { ...cancelled, settle: 'usage', usage: used };
  if (stream.started) return cancelled;
  return isStatusError(error) || neverSentIn(error) !== null ? { ...cancelled, settle: 'nothing' } : cancelled;
}

function statusFailure(error: StatusError): ModelFailure {
  const message = messageIn(error.error) ?? error.message;
  return {
    ...failure(classifyStatus(error.status, error.type, message), message),
    status: error.status,
    retryAfterMs: retryAfterMs(error.headers, Date.now()),
    settle: 'nothing',
  };
}

type StatusError = APIError & { readonly status: number; readonly headers: Headers };

function isStatusError(error: unknown): error is StatusError {
  return error instanceof APIError && typeof error.status === 'number';
}

/** `{ error: { message } }` is the wire's own; servers of other models also send `{ error }`, `{ message }`, `{ detail }`. */
function messageIn(body: unknown): string | null {
  if (!isObject(body)) return null;
  const told: readonly (Json | undefined)[] = [
    isObject(body.error) ? body.error.message : body.error,
    body.message,
    body.detail,
  ];
  return told.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

/** A failure that is charged in full, as every one is unless a rule says otherwise. */
function failure(kind: ModelFailureKind, message: string): ModelFailure {
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
function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = amount(headers.get('retry-after-ms'));
  if (exact !== null) return Math.ceil(exact);
  const said = headers.get('retry-after');
  const seconds = amount(said);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = said === null ? Number.NaN : Date.parse(said);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function amount(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const value = Number(header);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
