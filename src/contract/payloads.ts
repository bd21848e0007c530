/**
 * Decodes payloads that need care: sealed ones, untrusted ones, and memos that no reader uses.
 *
 * The SDK throws for bytes that it cannot decode, and the server retries such a workflow task for ever (L7). L1: the
 * workflow and its readers replace them by the same text, which is then rejected like any invalid value.
 */

import {
  ApplicationFailure,
  type ConverterHint,
  type DataConverter,
  type FailureConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
  type PayloadConverter,
  type ProtoFailure,
  type SerializationContext,
} from '@temporalio/common';
import { isObject } from '../core/lib/index.js';

/** The `encoding` in a payload's metadata. */
export const sealedEncoding = 'binary/longhand-sealed';

export interface SealingCodec extends PayloadCodec {
  /**
   * Opens a payload synchronously: a promise for each would take longer. Returns unsealed payloads unchanged.
   * @param chainId the payload's chain; its tenant is then learned
   */
  readonly openNow: (payload: Payload, chainId: string | null) => Payload;
  /** Sets a chain's tenant; payloads of the chain are then sealed with that tenant's key. */
  readonly learn: (chainId: string, tenant: string | null) => void;
}

export function isSealingCodec(codec: PayloadCodec): codec is SealingCodec {
  return 'openNow' in codec && 'learn' in codec;
}

const sealedEncodingBytes = Uint8Array.from(sealedEncoding, (letter) => letter.charCodeAt(0));

export function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.encoding;
  return (
    encoding?.length === sealedEncodingBytes.length &&
    sealedEncodingBytes.every((letter, at) => encoding[at] === letter)
  );
}

/** Sets a chain's tenant in the codecs of the starter. */
export function setTenant({ payloadCodecs }: LoadedDataConverter, chainId: string, tenant: string | null): void {
  for (const codec of payloadCodecs) if (isSealingCodec(codec)) codec.learn(chainId, tenant);
}

/** Replaces a payload that could not be decoded. */
export const undecodable = '[a payload that cannot be decoded]';

/** Replaces undecodable payloads. Sealed ones remain errors: the keys may be there later. */
export function createLenientPayloadConverter(inner: PayloadConverter): PayloadConverter {
  return {
    toPayload: (value, context, hint) => inner.toPayload(value, context, hint),
    fromPayload: <T>(payload: Payload, context?: SerializationContext, hint?: ConverterHint<T>): T => {
      try {
        const value = inner.fromPayload<T>(payload, context, hint);
        // Longhand has no byte values, and walking millions of members takes seconds.
        return ArrayBuffer.isView(value) ? (undecodable as T) : value;
      } catch (error) {
        if (isSealed(payload)) throw error;
        return undecodable as T;
      }
    },
  };
}

/** The same for failures, whose causes the server does not check. */
export function createLenientFailureConverter(inner: FailureConverter): FailureConverter {
  return {
    errorToFailure: (error, payloadConverter, context) => inner.errorToFailure(error, payloadConverter, context),
    failureToError: (failure, payloadConverter, context) => {
      try {
        return inner.failureToError(failure, payloadConverter, context);
      } catch (error) {
        if (hasSealedPayload(failure)) throw error;
        return ApplicationFailure.nonRetryable(undecodable, 'Undecodable');
      }
    },
  };
}

function hasSealedPayload(failure: ProtoFailure): boolean {
  for (let current: ProtoFailure | null | undefined = failure; current; current = current.cause) {
    const details = current.applicationFailureInfo?.details?.payloads ?? [];
    if ([current.encodedAttributes, ...details].some((payload) => payload && isSealed(payload))) return true;
  }
  return false;
}

const toBytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const nullPayload: Payload = { metadata: { encoding: toBytes('json/plain') }, data: toBytes('null') };

const nullCodec: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map(() => nullPayload),
};

/**
 * A data converter that decodes everything as null, for lists of workflows. The SDK decodes each memo: one sealed with
 * missing keys, or from another converter, would fail the whole list. Not for writing.
 */
export const opaqueMemoConverter: DataConverter = { payloadCodecs: [nullCodec] };

/** Returns the tenant of a chain's start, however it was written; null for another value. */
export function findStartTenant(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { agent, task, tenant } = value;
  const isStart = typeof agent === 'string' && typeof task === 'string';
  return isStart && typeof tenant === 'string' && tenant !== '' ? tenant : null;
}
