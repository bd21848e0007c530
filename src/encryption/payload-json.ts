/** Payloads as Temporal's codec protocol carries them: JSON, bytes in base64. */

import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isObject } from '../core/lib/json.js';

const { Payloads } = proto.temporal.api.common.v1;

/** @returns null for what is no list of payloads */
export function payloadsIn(text: string): readonly Payload[] | null {
  try {
    const value = JSON.parse(text) as unknown;
    if (!isObject(value) || !Array.isArray(value.payloads) || !value.payloads.every(isPayload)) return null;
    return Payloads.fromObject(value).payloads as Payload[];
  } catch {
    return null;
  }
}

export function payloadsText(payloads: readonly Payload[]): string {
  return JSON.stringify({ payloads: [], ...Payloads.toObject(Payloads.create({ payloads: [...payloads] }), wire) });
}

const wire = { bytes: String, longs: String, enums: String };

function isPayload(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { metadata = {}, data = '' } = value;
  return (
    typeof data === 'string' && isObject(metadata) && Object.values(metadata).every((each) => typeof each === 'string')
  );
}
