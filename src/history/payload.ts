/** Decodes payloads, with the converter of the reader. The only place that does. */

import { isUtf8 } from 'node:buffer';
import { defaultPayloadConverter, type LoadedDataConverter, type Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import {
  createLenientFailureConverter,
  createLenientPayloadConverter,
  isSealed,
  isSealingCodec,
  undecodable,
} from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';

type Payloads = readonly Payload[] | null | undefined;

/**
 * Returns the first value of an event's payloads, immediately if possible. Plain JSON under the SDK's converter is read
 * here: the SDK's decodes text in JavaScript, which takes as long as folding the history. Sealed payloads are opened at
 * once as well.
 * @param chainId the chain of the payload, if known: the codec then learns the chain's tenant
 * @throws {LonghandError} `encryption_no_key` for a sealed payload without a codec
 */
export function decodeFirstValue<T>(
  converter: LoadedDataConverter,
  payloads: Payloads,
  chainId: string | null = null,
): T | Promise<T> {
  const { payloadConverter, payloadCodecs } = converter;
  const [payload] = payloads ?? [];
  if (payload != null && payloadConverter === defaultPayloadConverter) {
    const first = openSynchronously(payload, payloadCodecs, chainId);
    // For ill-formed text the workflow uses the SDK's result, so readers must as well (L1).
    if (first?.data != null && isJson(first) && isUtf8(first.data)) return parseJsonText(decodeUtf8(first.data)) as T;
  }
  const all = payloads === null || payloads === undefined ? null : [...payloads];
  return decodeFromPayloadsAtIndex<T>(toLenientConverter(converter), 0, all);
}

/** Returns the bytes of a payload; null for another value. The lenient converter rejects bytes: no fact has them. */
export async function decodeBytes(converter: LoadedDataConverter, payload: Payload): Promise<Uint8Array | null> {
  const value: unknown = await decodeFromPayloadsAtIndex(converter, 0, [payload]);
  return value instanceof Uint8Array ? value : null;
}

/** Returns the converter as the workflow uses it: an undecodable payload becomes a value. One for each converter. */
export function toLenientConverter(converter: LoadedDataConverter): LoadedDataConverter {
  const made = lenientConverters.get(converter) ?? {
    ...converter,
    payloadConverter: createLenientPayloadConverter(converter.payloadConverter),
    failureConverter: createLenientFailureConverter(converter.failureConverter),
  };
  lenientConverters.set(converter, made);
  return made;
}

const lenientConverters = new WeakMap<LoadedDataConverter, LoadedDataConverter>();

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undecodable;
  }
}

/** Returns null if the codecs are asynchronous. */
function openSynchronously(
  payload: Payload,
  [codec, ...others]: LoadedDataConverter['payloadCodecs'],
  chainId: string | null,
): Payload | null {
  if (codec === undefined) {
    if (isSealed(payload)) throw new LonghandError('encryption_no_key', missingKeysMessage);
    return payload;
  }
  return others.length === 0 && isSealingCodec(codec) ? codec.openNow(payload, chainId) : null;
}

const missingKeysMessage =
  'This chain is encrypted, but no key is configured. Set LONGHAND_ENCRYPTION_KEYS to its key file.';

const plainJsonEncoding = Buffer.from('json/plain');

function isJson({ metadata }: Payload): boolean {
  return metadata?.encoding != null && plainJsonEncoding.equals(metadata.encoding);
}

function decodeUtf8(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
