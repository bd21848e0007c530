/**
 * Charges a failed call to a model of the AI SDK (L6). No charge: an HTTP error status before any event of the stream, or
 * no request sent. The whole reservation: every other case. The AI SDK reports usage only at the end of a stream, so a
 * cancelled one has none.
 */

import { parseJson, toErrorMessage } from '../../core/lib/index.js';
import type { ModelFailure } from '../../core/model/index.js';
import { createFailure, findMessage, parseRetryAfterMs, readErrorCodes } from '../wire/call-failure.js';
import { classifyFailure } from '../wire/classify-failure.js';
import { getRootMessage, isConnectionError, isTimeoutError, listCauses } from '../wire/connection.js';
import type { WatchdogEnd } from '../wire/watchdog.js';
import { type ApiError, findApiError, findName, isApiError, isFromStream, toUnsentFailure } from './errors.js';

/** Converts an error thrown before the stream began. */
export function toStartFailure(error: unknown, endedBy: WatchdogEnd | null): ModelFailure {
  const status = findApiError(error);
  const unsent = toUnsentFailure(error);
  if (endedBy === 'cancelled') {
    const isFree = (status !== null && !isFromStream(status)) || unsent !== null;
    return { ...toEndFailure(endedBy), ...(isFree && { settle: 'nothing' }) };
  }
  if (status !== null) return toStatusFailure(status);
  if (unsent !== null) return { ...unsent, settle: 'nothing' };
  if (endedBy !== null) return toEndFailure(endedBy);
  if (isTimeoutError(error)) return createFailure('timeout', getRootMessage(error));
  // The status of the response, whose stream could not be read.
  if (listCauses(error).some(isApiError)) return toInterruptedFailure(error);
  if (isConnectionError(error) || findName(error) === 'AI_APICallError') {
    return createFailure('connection', getRootMessage(error));
  }
  return createFailure('internal', toErrorMessage(error));
}

/** Converts an error in the stream: a part of the type `error`, or a failed read. */
export function toStreamFailure(error: unknown, endedBy: WatchdogEnd | null): ModelFailure {
  if (endedBy !== null) return toEndFailure(endedBy);
  const status = findApiError(error);
  if (status !== null) return { ...toStatusFailure(status), status: null, settle: 'reservation' };
  if (isTimeoutError(error)) return createFailure('timeout', getRootMessage(error));
  if (error instanceof Error) return toInterruptedFailure(error);
  const body = typeof error === 'string' ? toErrorBody(error) : error;
  const message = findMessage(body) ?? 'the provider sent an error without a message';
  const { status: code, types } = readErrorCodes(body);
  return createFailure(classifyFailure(code, types, message), message);
}

/** Failure of a stream that the watchdog ended. */
export function toEndFailure(endedBy: WatchdogEnd): ModelFailure {
  switch (endedBy) {
    case 'cancelled':
      return createFailure('cancelled', 'the call was cancelled');
    case 'stalled':
      return createFailure('timeout', 'the provider sent nothing for too long');
    case 'overtime':
      return createFailure('timeout', 'the reply was not complete in time');
  }
}

/** Failure for a response that no package can read as a stream; null if it may be one. @param type its content type */
export function toOtherServerFailure(type: string): ModelFailure | null {
  return /^(text\/html|text\/plain|application\/json)\b/i.test(type)
    ? createFailure('not_found', `the server of the model is not an API with streams: it sent ${type}, expected events`)
    : null;
}

function toInterruptedFailure(error: unknown): ModelFailure {
  return createFailure('cut', `the reply was interrupted: ${getRootMessage(error)}`);
}

function toStatusFailure(error: ApiError): ModelFailure {
  const { statusCode, isRetryable, responseHeaders = {}, responseBody = '' } = error;
  // A body that is a list is Gemini's.
  const body = parseJson(responseBody) ?? null;
  const message = findMessage(body) ?? error.message;
  const streamed = isFromStream(error);
  const kind = classifyFailure(streamed ? null : statusCode, readErrorCodes(body).types, message);
  return {
    // Some packages know from the body that an error will pass.
    ...createFailure(kind === 'bad_request' && isRetryable === true ? 'server_error' : kind, message),
    status: streamed ? null : statusCode,
    retryAfterMs: parseRetryAfterMs(toHeaders(responseHeaders), Date.now()),
    settle: streamed ? 'reservation' : 'nothing',
  };
}

/** The members are from outside: one that is not a header does not hide the failure. */
function toHeaders(members: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(members);
  } catch {
    return new Headers();
  }
}

function toErrorBody(text: string): unknown {
  const body = parseJson(text) ?? null;
  return typeof body === 'object' && body !== null ? body : { message: text };
}
