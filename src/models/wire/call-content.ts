/** Parts of a call that all wires send alike. */

import { isObject, type Json, type JsonObject, LonghandError } from '../../core/lib/index.js';
import type { FileBlock, FileRule } from '../../core/model/index.js';
import type { ModelCall } from './provider.js';

/**
 * The files that the Messages API takes; models of the AI SDK are given the same. The limit of 5 MB for an image is that of
 * its base64; that of a PDF leaves room in the 32 MB of a request.
 */
export const messagesFiles: readonly FileRule[] = [
  {
    kind: 'image',
    mediaTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    maxBytes: 3_900_000,
    maxSide: 8_000,
  },
  { kind: 'pdf', maxBytes: 20_000_000, maxPages: 100 },
];

/** Tokens: the API's smallest thinking budget, and the reserve for the answer. */
const minThinkingTokens = 1_024;
const minAnswerTokens = 1_024;

/** Lowers the thinking budget to leave room for the answer, or omits thinking. */
export function fitThinking({ model, maxTokens }: ModelCall): { readonly thinking?: JsonObject } {
  const { thinking } = model;
  if (thinking === null) return {};
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number' || budget < maxTokens) return { thinking };
  const room = maxTokens - minAnswerTokens;
  return room < minThinkingTokens ? {} : { thinking: { ...thinking, budget_tokens: room } };
}

/** Wraps arguments that were cut off, which are text: the APIs require an object and would reject the whole request. */
export function toArguments(input: Json): JsonObject {
  return isObject(input) ? input : { unreadable: input };
}

export function readFileBytes({ file }: FileBlock, { files }: ModelCall): Uint8Array {
  const bytes = files?.get(file.digest);
  if (bytes === undefined) throw new LonghandError('internal', `The bytes of ${file.name} are missing.`);
  return bytes;
}
