/**
 * The payload codec: seals all content between the converters and Temporal.
 *
 * 1. An envelope opens with the master keys alone, wherever its payload was stored. Payloads that Temporal moves (from
 *    a chain's start into a sub-chain's, to the next run, past a reset) stay readable.
 * 2. Unsealed payloads pass unchanged: chains from before encryption was enabled stay readable.
 * 3. The whole payload is sealed, including metadata. The first byte describes the form. Text is deflated if that saves
 *    space: sealed bytes cannot be compressed later, and a history has a size limit.
 * 4. The tenant of a chain is known once this process has started the chain, read it, or opened one of its payloads. A
 *    start names its tenant: workflows of the user send it, and workers receive it from programs in any language. Payloads of
 *    other chains are sealed with the key without a tenant, which opens as well.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import { LRUCache } from 'lru-cache';
import { findStartTenant, isSealed, type SealingCodec, sealedEncoding } from '../contract/index.js';
import type { Sealer } from './sealer.js';

const encoding = Buffer.from(sealedEncoding);

export function createPayloadCodec(sealer: Sealer): SealingCodec {
  const tenants = new ChainTenants();
  const seal = (payload: Payload, tenant: string | null): Payload =>
    isSealed(payload) ? payload : { metadata: { encoding }, data: sealer.seal(packPayload(payload), tenant) };
  const open = (payload: Payload, chainId: string | null): Payload => {
    if (!isSealed(payload)) return payload;
    const { bytes, tenant } = sealer.open(payload.data ?? new Uint8Array());
    if (chainId !== null) tenants.learn(chainId, tenant);
    return unpackPayload(bytes);
  };
  const learnFromStart = (payload: Payload, context: SerializationContext | undefined) => {
    if (context?.type !== 'workflow' || context.workflowId === undefined) return;
    if (tenants.find(context.workflowId) === null) tenants.learn(context.workflowId, readStartTenant(payload));
  };
  return {
    encode: async (payloads, context) => {
      const chainId = findChainId(context);
      for (const payload of payloads) learnFromStart(payload, context);
      const tenant = chainId === null ? null : tenants.find(chainId);
      return payloads.map((payload) => seal(payload, tenant));
    },
    decode: async (payloads, context) => {
      const opened = payloads.map((payload) => open(payload, findChainId(context)));
      for (const payload of opened) learnFromStart(payload, context);
      return opened;
    },
    openNow: open,
    learn: (chainId, tenant) => tenants.learn(chainId, tenant),
  };
}

function findChainId(context: SerializationContext | undefined): string | null {
  return context?.workflowId ?? null;
}

/** A payload without this text is no start with a tenant, and is not parsed. */
const tenantMember = Buffer.from('"tenant"');

function readStartTenant(payload: Payload): string | null {
  if (!isPlainJson(payload) || payload.data == null) return null;
  const { buffer, byteOffset, byteLength } = payload.data;
  const data = Buffer.from(buffer, byteOffset, byteLength);
  if (!data.includes(tenantMember)) return null;
  try {
    return findStartTenant(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}

/** Only the data of a plain JSON payload, the usual case; otherwise the encoded payload. */
const jsonFlag = 1;
const deflatedFlag = 2;

/** Below this size, deflating saves nothing. */
const minDeflateBytes = 300;

const plainJson = Buffer.from('json/plain');
const { Payload: Wire } = proto.temporal.api.common.v1;

function packPayload(payload: Payload): Buffer {
  const isJson = isPlainJson(payload);
  const body = isJson ? (payload.data ?? new Uint8Array()) : Wire.encode(payload).finish();
  const smaller = body.length < minDeflateBytes ? null : deflateRawSync(body, { level: 1 });
  const isSmaller = smaller !== null && smaller.length < body.length;
  const form = (isJson ? jsonFlag : 0) | (isSmaller ? deflatedFlag : 0);
  return Buffer.concat([Buffer.from([form]), isSmaller ? smaller : body]);
}

function unpackPayload(packed: Uint8Array): Payload {
  const [form = 0] = packed;
  const rest = packed.subarray(1);
  const body = (form & deflatedFlag) !== 0 ? inflateRawSync(rest) : rest;
  return (form & jsonFlag) !== 0 ? { metadata: { encoding: plainJson }, data: body } : Wire.decode(body);
}

/** Whether the payload is plain JSON without further metadata, so that its data suffices. */
function isPlainJson(payload: Payload): boolean {
  const { metadata } = payload;
  if (metadata?.encoding == null || !plainJson.equals(metadata.encoding) || payload.externalPayloads?.length)
    return false;
  return Object.keys(metadata).length === 1;
}

/** A sub-chain's id is its parent's and the call that started it: `editor-3f2a/2.1`, `…/2.1.judge`, `…/2.1~2`. */
const subChainIdPattern = /^(.+)\/\d+\.\d+(?:\.(?:\d+|judge))?(?:~\d+)?$/s;

class ChainTenants {
  private readonly known = new LRUCache<string, string>({ max: 10_000 });

  learn(chainId: string, tenant: string | null): void {
    if (tenant !== null) this.known.set(chainId, tenant);
  }

  /** A sub-chain has the tenant of the chain above it. */
  find(chainId: string): string | null {
    for (let id: string | undefined = chainId; id !== undefined; id = subChainIdPattern.exec(id)?.[1]) {
      const tenant = this.known.get(id);
      if (tenant !== undefined) return tenant;
    }
    return null;
  }
}
