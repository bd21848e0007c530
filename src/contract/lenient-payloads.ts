/**
 * Decodes payloads that anyone may have written. The SDK throws for bytes that it cannot decode, and a workflow task that
 * meets them is retried for ever (L7). L1: the workflow and its readers take the same text for them, which is then rejected
 * like any other invalid value.
 */

import type { ConverterHint, Payload, PayloadConverter, SerializationContext } from '@temporalio/common';
import { isSealed } from './sealed.js';

/** Stands for what could not be decoded. */
export const undecodable = '[a payload that cannot be decoded]';

/** Sealed payloads are still errors: the keys may be there later. */
export function lenientPayloads(inner: PayloadConverter): PayloadConverter {
  return {
    toPayload: (value, context, hint) => inner.toPayload(value, context, hint),
    fromPayload: <T>(payload: Payload, context?: SerializationContext, hint?: ConverterHint<T>): T => {
      try {
        return inner.fromPayload<T>(payload, context, hint);
      } catch (error) {
        if (isSealed(payload)) throw error;
        return undecodable as T;
      }
    },
  };
}
