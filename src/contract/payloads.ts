/**
 * Payloads that cannot be decoded like others: sealed ones, ones that anyone may have written, and memos that nobody reads.
 *
 * The SDK throws for bytes that it cannot decode, and a workflow task that meets them is retried for ever (L7). L1: the
 * workflow and its readers take the same text for them, which is then rejected like any other invalid value.
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

/** In a payload's metadata, as its `encoding`. */
export const sealedEncoding = 'binary/longhand-sealed';

export interface SealingCodec extends PayloadCodec {
  /**
   * At once: a promise for each payload of a history would take longer than opening it. What is not sealed comes back as it
   * is.
   *
   * @param chainId of which it is; whose the chain is, is then known
   */
  readonly openNow: (payload: Payload, chainId: string | null) => Payload;
  /** Whose a chain is; what is sealed for it from now on has a key of that tenant. */
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

/** Tells the codecs of whoever starts a chain whose it is. */
export function setTenant({ payloadCodecs }: LoadedDataConverter, chainId: string, tenant: string | null): void {
  for (const codec of payloadCodecs) if (isSealingCodec(codec)) codec.learn(chainId, tenant);
}

/** Stands for what could not be decoded. */
export const undecodable = '[a payload that cannot be decoded]';

/** Sealed payloads are still errors: the keys may be there later. */
export function createLenientPayloadConverter(inner: PayloadConverter): PayloadConverter {
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
  for (let each: ProtoFailure | null | undefined = failure; each; each = each.cause) {
    const details = each.applicationFailureInfo?.details?.payloads ?? [];
    if ([each.encodedAttributes, ...details].some((payload) => payload && isSealed(payload))) return true;
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
 * A data converter for lists of workflows, and for a look whether one is there. The SDK decodes the memo of each: one that
 * was sealed with missing keys, or written by another converter, would make the whole list fail. All that is read through
 * it is null. Nothing is to be written through it.
 */
export const opaqueMemoConverter: DataConverter = { payloadCodecs: [nullCodec] };
