/**
 * What of a payload is sealed: all of it, its metadata too. The first byte says how the rest lies.
 *
 * Text is deflated where that saves anything: sealed bytes cannot be made smaller later, and a history has an end.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';

/** The data of plain JSON, which nearly all payloads are; else the payload as Temporal writes it. */
const json = 1;
const deflated = 2;

/** Below it, what is saved is less than what it takes. */
const worthDeflating = 300;

const plainJson = Buffer.from('json/plain');
const { Payload: Wire } = proto.temporal.api.common.v1;

export function pack(payload: Payload): Buffer {
  const isJson = isPlainJson(payload);
  const body = isJson ? (payload.data ?? new Uint8Array()) : Wire.encode(payload).finish();
  const smaller = body.length < worthDeflating ? null : deflateRawSync(body, { level: 1 });
  const isSmaller = smaller !== null && smaller.length < body.length;
  const form = (isJson ? json : 0) | (isSmaller ? deflated : 0);
  return Buffer.concat([Buffer.from([form]), isSmaller ? smaller : body]);
}

export function unpack(packed: Uint8Array): Payload {
  const [form = 0] = packed;
  const rest = packed.subarray(1);
  const body = (form & deflated) !== 0 ? inflateRawSync(rest) : rest;
  return (form & json) !== 0 ? { metadata: { encoding: plainJson }, data: body } : Wire.decode(body);
}

/** With metadata of its own it is sent whole. */
function isPlainJson(payload: Payload): boolean {
  const { metadata } = payload;
  if (metadata?.encoding == null || !plainJson.equals(metadata.encoding) || payload.externalPayloads?.length)
    return false;
  return Object.keys(metadata).length === 1;
}
