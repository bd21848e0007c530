/**
 * The payload codec: between the converters and Temporal, all that is content is sealed.
 *
 * 1. An envelope opens with the master keys alone: a payload may be read without knowing where it lay. What Temporal moves
 *    (from a chain's start into its sub-chain's, on to the next run, past a reset) stays readable.
 * 2. What is not sealed is passed on as it is: chains from before encryption was switched on are read as they were.
 */

import type { Payload, SerializationContext } from '@temporalio/common';
import { isSealed, type SealingCodec, sealedEncoding } from '../contract/sealed.js';
import { pack, unpack } from './packing.js';
import type { Sealer } from './sealer.js';
import { Tenants } from './tenants.js';

const encoding = Buffer.from(sealedEncoding);

export function payloadCodec(sealer: Sealer): SealingCodec {
  const tenants = new Tenants();
  const seal = (payload: Payload, tenant: string | null): Payload =>
    isSealed(payload) ? payload : { metadata: { encoding }, data: sealer.seal(pack(payload), tenant) };
  const open = (payload: Payload, chainId: string | null): Payload => {
    if (!isSealed(payload)) return payload;
    const { bytes, tenant } = sealer.open(payload.data ?? new Uint8Array());
    if (chainId !== null) tenants.learn(chainId, tenant);
    return unpack(bytes);
  };
  return {
    encode: async (payloads, context) => {
      const chainId = chainOf(context);
      const tenant = chainId === null ? null : tenants.of(chainId);
      return payloads.map((payload) => seal(payload, tenant));
    },
    decode: async (payloads, context) => payloads.map((payload) => open(payload, chainOf(context))),
    openNow: open,
    learn: (chainId, tenant) => tenants.learn(chainId, tenant),
  };
}

function chainOf(context: SerializationContext | undefined): string | null {
  return context?.workflowId ?? null;
}
