/**
 * Decodes payloads and failures that anyone may have written. The SDK throws for bytes that it cannot decode, and a workflow task that
 * meets them is retried for ever (L7). L1: the workflow and its readers take the same text for them, which is then rejected
 * like any other invalid value.
 */

import {
  ApplicationFailure,
  type ConverterHint,
  type FailureConverter,
  type Payload,
  type PayloadConverter,
  type ProtoFailure,
  type SerializationContext,
} from '@temporalio/common';
import { isSealed } from './sealed.js';

/** Stands for what could not be decoded. */
export const undecodable = '[a payload that cannot be decoded]';

/** Sealed payloads are still errors: the keys may be there later. */
export function lenientPayloads(inner: PayloadConverter): PayloadConverter {
  return {
    toPayload: (value, context, hint) => inner.toPayload(value, context, hint),
    fromPayload: <T>(payload: Payload, context?: SerializationContext, hint?: ConverterHint<T>): T => {
      try {
        const value = inner.fromPayload<T>(payload, context, hint);
        // No value of Longhand is bytes, and walking millions of them as members takes seconds.
        return ArrayBuffer.isView(value) ? (undecodable as T) : value;
      } catch (error) {
        if (isSealed(payload)) throw error;
        return undecodable as T;
      }
    },
  };
}

/** The same for failures, whose causes the server does not check. */
export function lenientFailures(inner: FailureConverter): FailureConverter {
  return {
    errorToFailure: (error, payloadConverter, context) => inner.errorToFailure(error, payloadConverter, context),
    failureToError: (failure, payloadConverter, context) => {
      try {
        return inner.failureToError(failure, payloadConverter, context);
      } catch (error) {
        if (isSealedIn(failure)) throw error;
        return ApplicationFailure.nonRetryable(undecodable, 'Undecodable');
      }
    },
  };
}

function isSealedIn(failure: ProtoFailure): boolean {
  for (let each: ProtoFailure | null | undefined = failure; each; each = each.cause) {
    const details = each.applicationFailureInfo?.details?.payloads ?? [];
    if ([each.encodedAttributes, ...details].some((payload) => payload && isSealed(payload))) return true;
  }
  return false;
}
