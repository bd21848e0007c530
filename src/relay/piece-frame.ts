/** A piece of a reply as JSON, for a socket or a notification. What arrives is validated: another program may have sent it. */

import type { TokenPiece } from '../contract/tokens.js';
import { isObject, type Json } from '../core/lib/json.js';

/** Formats a piece in one line. */
export function formatPiece({ chainId, runId, step, call, offset, text }: TokenPiece): string {
  return JSON.stringify({ chainId, runId, step, call, offset, text });
}

/** Returns null for anything else than a piece of this chain. */
export function parsePiece(frame: string, chainId: string): TokenPiece | null {
  const value = parseJson(frame);
  if (!isObject(value) || value.chainId !== chainId) return null;
  const { runId, step, call, offset, text } = value;
  if (typeof runId !== 'string' || typeof call !== 'string' || typeof text !== 'string') return null;
  if (!isCount(step) || !isCount(offset)) return null;
  return { chainId, runId, step, call, offset, text };
}

/** Formats the line with which a follower requests the pieces of a chain. */
export function formatRequest(chainId: string): string {
  return `${JSON.stringify({ chainId })}\n`;
}

/** Returns the id of the requested chain, or null. */
export function parseRequest(line: string): string | null {
  const value = parseJson(line);
  return isObject(value) && typeof value.chainId === 'string' ? value.chainId : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
