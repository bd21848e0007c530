/**
 * What the model is shown of a tool's result. A result that is too long for the conversation is clipped where a reader
 * would clip it and says so; its type stays what it was, so that a strategy that renders JSON still finds JSON.
 */

import { jsonSize, textBytes } from '../lib/byte-size.js';
import { clipJson, clipText } from '../lib/clip.js';
import { isObject, type Json } from '../lib/json.js';
import type { Observation } from '../model/fact.js';

/** Tokens are reckoned at so many bytes: near enough for English and code. */
const bytesPerToken = 4;

/** Deeper values are cut off: everything that writes, hashes or reads them goes down by recursion. */
const deepest = 100;
const tooDeep = '[… nested too deep, left out …]';

/**
 * The content itself if it has at most `maxTokens`, otherwise a part of it that has.
 *
 * A text stays a text, even one that is JSON. Contract: never throws; linear in the content. Numbers, booleans and
 * null are never clipped.
 */
export function clip(content: Json, maxTokens: number): Observation {
  const limit = Math.max(1, maxTokens) * bytesPerToken;
  if (typeof content === 'string') {
    const bytes = textBytes(content, 'plain');
    if (bytes <= limit) return { content, clippedFrom: null };
    return { content: clipText(content, limit, 'plain'), clippedFrom: bytes };
  }
  const { bytes, depth } = jsonSize(content);
  const shallow = depth > deepest ? cutDeep(content, deepest) : content;
  const clipped = clipJson(shallow, limit);
  return { content: clipped, clippedFrom: clipped === content ? null : bytes };
}

function cutDeep(value: Json, levels: number): Json {
  const list = Array.isArray(value);
  if (!list && !isObject(value)) return value;
  if (levels === 0) return tooDeep;
  if (list) return value.map((item) => cutDeep(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutDeep(member, levels - 1)]));
}
