/** What a payload holds. The one place where they are decoded, by the converter of whoever reads. */

import { defaultPayloadConverter, type LoadedDataConverter, type Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isSealed, isSealing } from '../contract/sealed.js';

type Payloads = readonly Payload[] | null | undefined;

/**
 * The first of an event's values. Plain JSON under the SDK's own converter is read here and at once: the SDK's reads text
 * in JavaScript, for the workflow's sake, and takes as long for that as folding the whole history does. Sealed payloads are
 * opened at once as well.
 *
 * @param chainId the chain that it is of, where that is known: the codec then learns whose the chain is
 * @throws {Error} for a sealed one that nothing here opens
 */
export function firstValue<T>(
  converter: LoadedDataConverter,
  payloads: Payloads,
  chainId: string | null = null,
): T | Promise<T> {
  const { payloadConverter, payloadCodecs } = converter;
  const [lying] = payloads ?? [];
  if (lying != null && payloadConverter === defaultPayloadConverter) {
    const first = openedAtOnce(lying, payloadCodecs, chainId);
    if (first?.data != null && isJson(first)) return JSON.parse(utf8(first.data)) as T;
  }
  return decodeFromPayloadsAtIndex<T>(converter, 0, payloads === null || payloads === undefined ? null : [...payloads]);
}

/** Null where the codecs need to be waited for. */
function openedAtOnce(
  payload: Payload,
  [codec, ...others]: LoadedDataConverter['payloadCodecs'],
  chainId: string | null,
): Payload | null {
  if (codec === undefined) {
    if (isSealed(payload)) throw new Error(noKeys);
    return payload;
  }
  return others.length === 0 && isSealing(codec) ? codec.openNow(payload, chainId) : null;
}

const noKeys =
  'This chain is encrypted, and no key is configured here: set LONGHAND_ENCRYPTION_KEYS to the key file that it was run with.';

const plainJson = Buffer.from('json/plain');

function isJson({ metadata }: Payload): boolean {
  return metadata?.encoding != null && plainJson.equals(metadata.encoding);
}

function utf8(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
