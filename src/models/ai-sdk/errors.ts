/** Errors of packages of the AI SDK, recognized by their shape: their classes are in packages that are not imported. */

import { isLonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { ModelFailure, ModelFailureKind } from '../../core/model/index.js';
import { createFailure } from '../wire/call-failure.js';
import { describeUnsent, findUnsentCause, listCauses, unsentKinds } from '../wire/connection.js';

/** The members of an `APICallError`, and of the errors of other packages with a status. */
export interface ApiError extends Error {
  readonly statusCode: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly isRetryable?: boolean;
}

/** Errors that packages throw while they build the request, before it is sent. */
const unsentErrors: ReadonlyMap<string, ModelFailureKind> = new Map([
  ['AI_LoadAPIKeyError', 'authentication'],
  ['AI_LoadSettingError', 'authentication'],
  ['AI_NoSuchModelError', 'not_found'],
  ['AI_InvalidArgumentError', 'bad_request'],
  ['AI_InvalidPromptError', 'bad_request'],
  ['AI_UnsupportedFunctionalityError', 'bad_request'],
]);

/** Finds an HTTP error among an error and its causes: middleware wraps them. A status of success is not an error. */
export function findApiError(error: unknown): ApiError | null {
  return listCauses(error).find((cause): cause is ApiError => isApiError(cause) && cause.statusCode >= 300) ?? null;
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
}

/** Finds the host of the address that the request was for. */
function findHost(error: unknown): string | null {
  const url = error instanceof Error && 'url' in error ? String(error.url) : '';
  return URL.canParse(url) ? new URL(url).host : null;
}

/** A package may give an error in the first event of a stream a status of its own. The provider had begun to reply. */
export function isFromStream({ responseHeaders }: ApiError): boolean {
  return responseHeaders?.['content-type']?.includes('event-stream') === true;
}

/** Failure of a request that was certainly not sent; null if it may have been sent. */
export function toUnsentFailure(error: unknown): ModelFailure | null {
  const unsent = findUnsentCause(error);
  if (unsent !== null) return createFailure(unsentKinds[unsent], describeUnsent(error, unsent, findHost(error)));
  const kind = isUnbuildable(error) ? 'internal' : unsentErrors.get(findName(error));
  return kind === undefined ? null : createFailure(kind, toErrorMessage(error));
}

/** Whether Longhand, or `fetch` itself, could not build the request. */
function isUnbuildable(error: unknown): boolean {
  return (
    isLonghandError(error) ||
    (error instanceof TypeError && /invalid header (name|value)|ByteString/.test(error.message))
  );
}

export function findName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
