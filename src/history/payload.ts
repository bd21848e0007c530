/** What a payload holds. The one place where they are decoded, by the converter of whoever reads. */

import { isUtf8 } from 'node:buffer';
import { defaultPayloadConverter, type LoadedDataConverter, type Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import {
  createLenientFailureConverter,
  createLenientPayloadConverter,
  isSealed,
  isSealingCodec,
  undecodable,
} from '../contract/payloads.js';

type Payloads = readonly Payload[] | null | undefined;

/**
 * The first of an event's values. Plain JSON under the SDK's own converter is read here and at once: the SDK's reads text
 * in JavaScript, for the workflow's sake, and takes as long for that as folding the whole history does. Sealed payloads are
 * opened at once as well.
 *
 * @param chainId the chain that it is of, where that is known: the codec then learns whose the chain is
 * @throws {Error} for a sealed one that nothing here opens
 */
export function decodeFirstValue<T>(
  converter: LoadedDataConverter,
  payloads: Payloads,
  chainId: string | null = null,
): T | Promise<T> {
  const { payloadConverter, payloadCodecs } = converter;
  const [lying] = payloads ?? [];
  if (lying != null && payloadConverter === defaultPayloadConverter) {
    const first = openSynchronously(lying, payloadCodecs, chainId);
    // Of ill-formed text the workflow reads what the SDK makes of it, so readers must as well (L1).
    if (first?.data != null && isJson(first) && isUtf8(first.data)) return parseJsonText(decodeUtf8(first.data)) as T;
  }
  const all = payloads === null || payloads === undefined ? null : [...payloads];
  return decodeFromPayloadsAtIndex<T>(toLenientConverter(converter), 0, all);
}

/** As the workflow decodes: what cannot be decoded is a value like any other. One for each converter. */
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

/** Null where the codecs need to be waited for. */
function openSynchronously(
  payload: Payload,
  [codec, ...others]: LoadedDataConverter['payloadCodecs'],
  chainId: string | null,
): Payload | null {
  if (codec === undefined) {
    if (isSealed(payload)) throw new Error(missingKeysMessage);
    return payload;
  }
  return others.length === 0 && isSealingCodec(codec) ? codec.openNow(payload, chainId) : null;
}

const missingKeysMessage =
  'This chain is encrypted, and no key is configured here: set LONGHAND_ENCRYPTION_KEYS to the key file that it was run with.';

const plainJsonEncoding = Buffer.from('json/plain');

function isJson({ metadata }: Payload): boolean {
  return metadata?.encoding != null && plainJsonEncoding.equals(metadata.encoding);
}

function decodeUtf8(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
