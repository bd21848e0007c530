/** Reads a part of a stored text. The whole is read, because its digest is verified at its end; only the part is held. */

import { estimateTextTokens } from '../../core/lib/index.js';

export interface TextPart {
  /** Position of the first character, from 0, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
  /** Position of the following part; null at the end. */
  readonly next: number | null;
  /** Of the whole text. */
  readonly characters: number;
}

export interface PartRequest {
  readonly offset?: number | undefined;
  /** From 1; instead of `offset`. */
  readonly line?: number | undefined;
  /** Most characters. */
  readonly length?: number | undefined;
  /** Most bytes of the part as JSON with its other members. */
  readonly maxBytes: number;
}

/** Bytes of the other members of the result. */
const otherBytes = 400;

/** Returns null if the text ends before the place. @throws the errors of the content */
export async function readPart(content: AsyncIterable<Uint8Array>, request: PartRequest): Promise<TextPart | null> {
  const { line = 1, maxBytes, length = Number.MAX_SAFE_INTEGER } = request;
  const decoder = new TextDecoder();
  let start = request.line === undefined ? (request.offset ?? 0) : line === 1 ? 0 : null;
  let lines = 1;
  let at = 0;
  let text = '';
  const take = (piece: string) => {
    for (let from = 0; start === null; ) {
      const end = piece.indexOf('\n', from);
      if (end === -1) break;
      from = end + 1;
      lines += 1;
      if (lines === line) start = at + from;
    }
    if (start !== null && text.length < length) {
      const first = Math.max(0, start + text.length - at);
      text += piece.slice(first, first + length - text.length);
    }
    at += piece.length;
  };
  for await (const bytes of content) take(decoder.decode(bytes, { stream: true }));
  take(decoder.decode());
  if (start === null || (start >= at && at > 0)) return null;
  const part = fitText(text, Math.max(maxBytes - otherBytes, maxBytes / 2));
  const next = start + part.length;
  return { offset: start, text: part, next: next < at ? next : null, characters: at };
}

/** Shortens a text to most bytes as JSON, between two characters. */
function fitText(text: string, maxBytes: number): string {
  let fitting = text;
  for (let bytes = countJson(fitting); bytes > maxBytes && fitting.length > 1; bytes = countJson(fitting)) {
    fitting = fitting.slice(0, Math.max(1, Math.floor((fitting.length * maxBytes) / bytes) - 1));
  }
  const last = fitting.charCodeAt(fitting.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff && fitting.length > 1;
  return isHalf ? fitting.slice(0, -1) : fitting;
}

/** Counts four bytes for a token: an observation is clipped by its tokens. */
function countJson(text: string): number {
  return 4 * estimateTextTokens(JSON.stringify(text));
}
