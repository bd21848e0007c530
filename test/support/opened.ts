/** For tests that read raw events and histories: the content of payloads, also where the run of the tests is an encrypted one. */

import type { DataConverter, Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { isSealed } from '../../src/contract/payloads.js';
import { resolveEncryption, toSealingConverter } from '../../src/encryption/encryption.js';

/** With the keys that the environment names now; undefined without any. */
export function createEnvironmentConverter(): DataConverter | undefined {
  return toSealingConverter(undefined, resolveEncryption(undefined, process.env));
}

/** The same value, in which every sealed payload is replaced by its content. */
export function decryptWithin(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(decryptWithin);
  const { codec } = resolveEncryption(undefined, process.env) ?? {};
  if (codec !== undefined && isSealed(value)) return codec.openNow(value, null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decryptWithin(member)]));
}

/** Null for one that is not there. */
export function decryptPayload(payload: temporal.api.common.v1.IPayload | null | undefined): unknown {
  if (payload == null) return null;
  const codec = resolveEncryption(undefined, process.env)?.codec;
  const { data } = codec === undefined ? payload : codec.openNow(payload as Payload, null);
  return JSON.parse(Buffer.from(data ?? []).toString() || 'null');
}

/** The message of a failure: it is in a payload if failures are sealed. */
export function getFailureMessage(failure: temporal.api.failure.v1.IFailure | null | undefined): string {
  const sealed = decryptPayload(failure?.encodedAttributes) as { readonly message?: string } | null;
  return sealed?.message ?? failure?.message ?? '';
}
