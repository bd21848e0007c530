/** Sealed payloads: how they are told, and what a reader may ask of the codec that opens them, besides what the SDK does. */

import type { LoadedDataConverter, Payload, PayloadCodec } from '@temporalio/common';

/** In a payload's metadata, as its `encoding`. */
export const sealedEncoding = 'binary/longhand-sealed';

export interface SealingCodec extends PayloadCodec {
  /**
   * At once: a promise for each payload of a history would take longer than opening it. What is not sealed comes back as it
   * is.
   *
   * @param chainId of which it is; whose the chain is, is then known
   */
  readonly openNow: (payload: Payload, chainId: string | null) => Payload;
  /** Whose a chain is; what is sealed for it from now on has a key of that tenant. */
  readonly learn: (chainId: string, tenant: string | null) => void;
}

export function isSealing(codec: PayloadCodec): codec is SealingCodec {
  return 'openNow' in codec && 'learn' in codec;
}

const letters = Uint8Array.from(sealedEncoding, (letter) => letter.charCodeAt(0));

export function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.encoding;
  return encoding?.length === letters.length && letters.every((letter, at) => encoding[at] === letter);
}

/** Tells the codecs of whoever starts a chain whose it is. */
export function tellTenant({ payloadCodecs }: LoadedDataConverter, chainId: string, tenant: string | null): void {
  for (const codec of payloadCodecs) if (isSealing(codec)) codec.learn(chainId, tenant);
}
