/** A piece as JSON, for a socket or a notification. What arrives is validated: another program may have sent it. */

import {
  type InterimPiece,
  isInterimPiece,
  type LivePiece,
  parseInterimResult,
  type TokenPiece,
} from '../contract/index.js';
import { check, isObject, type JsonObject, parseJson } from '../core/lib/index.js';

/** Formats a piece in one line. */
export function formatPiece(piece: LivePiece): string {
  const { chainId, runId, step, call } = piece;
  const place = { chainId, runId, step, call };
  if (!isInterimPiece(piece)) return JSON.stringify({ ...place, offset: piece.offset, text: piece.text });
  const { tool, attempt, sequence, interim } = piece;
  return JSON.stringify({ ...place, tool, attempt, sequence, interim });
}

/** Returns null for anything else than a piece of this chain. */
export function parsePiece(frame: string, chainId: string): LivePiece | null {
  const value = parseJson(frame);
  if (!isObject(value) || value.chainId !== chainId) return null;
  const { runId, step, call } = value;
  if (typeof runId !== 'string' || typeof call !== 'string' || !check.count.is(step)) return null;
  const place = { chainId, runId, step, call };
  return value.interim === undefined ? parseToken(place, value) : parseInterim(place, value);
}

type PiecePlace = Pick<LivePiece, 'chainId' | 'runId' | 'step' | 'call'>;

function parseToken(place: PiecePlace, { offset, text }: JsonObject): TokenPiece | null {
  return typeof text === 'string' && check.count.is(offset) ? { ...place, offset, text } : null;
}

function parseInterim(place: PiecePlace, { tool, attempt, sequence, interim }: JsonObject): InterimPiece | null {
  if (typeof tool !== 'string' || !check.count.is(attempt) || !check.count.is(sequence)) return null;
  const result = parseInterimResult(interim);
  return result === null && interim !== null ? null : { ...place, tool, attempt, sequence, interim: result };
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
