/**
 * A data converter for who lists workflows or looks whether one is there. The SDK decodes the memo of each: one that was
 * sealed with keys which are not here, or written by another converter, would make the whole list fail.
 */

import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const nothing: Payload = { metadata: { encoding: bytes('json/plain') }, data: bytes('null') };

const unread: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map(() => nothing),
};

/** All that is read through it is null. Nothing is to be written through it. */
export const unreadMemos: DataConverter = { payloadCodecs: [unread] };
