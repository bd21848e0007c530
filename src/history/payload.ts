/** What a payload holds. The one place where they are decoded, by the converter of whoever reads. */

import { defaultPayloadConverter, type LoadedDataConverter, type Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';

type Payloads = readonly Payload[] | null | undefined;

/**
 * The first of an event's values. Plain JSON under the SDK's own converter is read here and at once: the SDK's reads text
 * in JavaScript, for the workflow's sake, and takes as long for that as folding the whole history does.
 */
export function firstValue<T>(converter: LoadedDataConverter, payloads: Payloads): T | Promise<T> {
  const { payloadConverter, payloadCodecs } = converter;
  const [first] = payloads ?? [];
  const isPlain = payloadConverter === defaultPayloadConverter && payloadCodecs.length === 0;
  if (isPlain && first?.data != null && isJson(first)) return JSON.parse(utf8(first.data)) as T;
  return decodeFromPayloadsAtIndex<T>(converter, 0, payloads === null || payloads === undefined ? null : [...payloads]);
}

const plainJson = Buffer.from('json/plain');

function isJson({ metadata }: Payload): boolean {
  return metadata?.encoding != null && plainJson.equals(metadata.encoding);
}

function utf8(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
