/** For tests that look into raw events: what a payload holds, also where the run of the tests is an encrypted one. */

import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { resolveEncryption } from '../../src/encryption/encryption.js';

/** Null for one that is not there. */
export function opened(payload: temporal.api.common.v1.IPayload | null | undefined): unknown {
  if (payload == null) return null;
  const codec = resolveEncryption(undefined, process.env)?.codec;
  const { data } = codec === undefined ? payload : codec.openNow(payload as Payload, null);
  return JSON.parse(Buffer.from(data ?? []).toString() || 'null');
}

/** What a failure says: it is in a payload where failures are sealed. */
export function messageOf(failure: temporal.api.failure.v1.IFailure | null | undefined): string {
  const sealed = opened(failure?.encodedAttributes) as { readonly message?: string } | null;
  return sealed?.message ?? failure?.message ?? '';
}
