/**
 * Pieces as notifications of Postgres: the channel of a chain, and payloads within the limit of 8,000 bytes.
 *
 * N1 With encryption, payloads are sealed, and a follower with keys accepts only sealed ones: everybody who may connect to
 *    the database may listen and notify.
 */

import { createHash } from 'node:crypto';
import type { LivePiece, TokenPiece } from '../contract/index.js';
import type { Sealer } from '../encryption/index.js';
import { formatPiece, parsePiece } from './piece-frame.js';

/** UTF-16 units of text in a payload. Each has at most six bytes as JSON; sealing adds a third and a header. */
export const maxTextLength = 800;

/** Returns the name of the chain's channel; Postgres allows 63 bytes. */
export function getChannelName(namespaceId: string, chainId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([namespaceId, chainId]))
    .digest('hex');
  return `longhand_tokens_${digest.slice(0, 40)}`;
}

export function formatPayload(piece: LivePiece, sealer: Sealer | null): string {
  // The channel's name has the chain's id, which may be long.
  const frame = formatPiece({ ...piece, chainId: '' });
  return sealer === null ? frame : Buffer.from(sealer.seal(Buffer.from(frame), null)).toString('base64');
}

/** Returns null for a payload that is not a piece, or cannot be opened. */
export function parsePayload(payload: string, chainId: string, sealer: Sealer | null): LivePiece | null {
  const frame = sealer === null ? payload : openPayload(payload, sealer);
  const piece = frame === null ? null : parsePiece(frame, '');
  return piece === null ? null : { ...piece, chainId };
}

function openPayload(payload: string, sealer: Sealer): string | null {
  try {
    return Buffer.from(sealer.open(Buffer.from(payload, 'base64')).bytes).toString('utf8');
  } catch {
    return null;
  }
}

/** Splits a piece into pieces that fit, never inside a surrogate pair. */
export function splitPiece(piece: TokenPiece): readonly TokenPiece[] {
  const { text, offset } = piece;
  const pieces: TokenPiece[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + maxTextLength, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    pieces.push({ ...piece, offset: offset + at, text: text.slice(at, end) });
    at = end;
  }
  return pieces;
}
