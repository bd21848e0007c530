/** The content of payloads in raw events and histories, also when the tests run with encryption. */

import type { DataConverter, Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { isSealed } from '../../src/contract/payloads.js';
import { resolveEncryption, toSealingConverter } from '../../src/encryption/encryption.js';

/** Creates a converter with the current keys of the environment; undefined without keys. */
export function createEnvironmentConverter(): DataConverter | undefined {
  return toSealingConverter(undefined, resolveEncryption(undefined, process.env));
}

/** Returns the value with every sealed payload replaced by its content. */
export function decryptWithin(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(decryptWithin);
  const { codec } = resolveEncryption(undefined, process.env) ?? {};
  if (codec !== undefined && isSealed(value)) return codec.openNow(value, null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decryptWithin(member)]));
}

/** Returns the content of a payload; null for a missing one. */
export function decryptPayload(payload: temporal.api.common.v1.IPayload | null | undefined): unknown {
  if (payload == null) return null;
  const codec = resolveEncryption(undefined, process.env)?.codec;
  const { data } = codec === undefined ? payload : codec.openNow(payload as Payload, null);
  return JSON.parse(Buffer.from(data ?? []).toString() || 'null');
}

/** Returns the message of a failure, which is in a payload if failures are sealed. */
export function getFailureMessage(failure: temporal.api.failure.v1.IFailure | null | undefined): string {
  const sealed = decryptPayload(failure?.encodedAttributes) as { readonly message?: string } | null;
  return sealed?.message ?? failure?.message ?? '';
}
