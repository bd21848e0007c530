/** Texts that the store holds sealed, with encryption. */

export interface TextSealer {
  readonly seal: (bytes: Uint8Array, tenant: string | null) => Uint8Array;
  readonly open: (bytes: Uint8Array) => { readonly bytes: Uint8Array };
}

export const sealedMark = 'sealed:';

/** @param sealer null without encryption: the text stays as it is */
export function sealText(text: string, tenant: string | null, sealer: TextSealer | null): string {
  return sealer === null ? text : sealedMark + Buffer.from(sealer.seal(Buffer.from(text), tenant)).toString('base64');
}

/** Returns null for a sealed text that these keys do not open. */
export function openText(text: string, sealer: TextSealer | null): string | null {
  if (!text.startsWith(sealedMark)) return text;
  try {
    const opened = sealer?.open(Buffer.from(text.slice(sealedMark.length), 'base64'));
    return opened === undefined ? null : Buffer.from(opened.bytes).toString('utf8');
  } catch {
    return null;
  }
}
