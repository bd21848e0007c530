/**
 * Opaque metadata that a provider of the AI SDK attaches to parts of a reply (signatures, encrypted reasoning, ids), and
 * requires in the next request. A chain carries it in thinking blocks, which go back to that provider and to no other.
 */

import { isObject, type JsonObject } from '../../core/lib/index.js';
import type { ReplyBlock, ThinkingBlock } from '../../core/model/index.js';
import { createCarriedReasoning, readCarriedReasoning } from '../wire/carried-reasoning.js';

/** Represents the text after the metadata: texts have no id. */
const nextText = 'text';

/** Returns metadata that can be stored; null for none. */
export function toStorableMetadata(metadata: unknown): JsonObject | null {
  try {
    const stored: unknown = JSON.parse(JSON.stringify(metadata) ?? 'null');
    return isObject(stored) && Object.keys(stored).length > 0 ? stored : null;
  } catch {
    return null;
  }
}

/** Creates the block of a reasoning part. */
export function createThinkingBlock(provider: string, thinking: string, metadata: JsonObject | null): ThinkingBlock {
  return createCarriedReasoning(provider, thinking, { metadata: metadata ?? {} });
}

/** Creates the block that carries the metadata of the text or the call after it. @param call its id; null for a text */
export function createMetadataBlock(provider: string, metadata: JsonObject, call: string | null): ThinkingBlock {
  return createCarriedReasoning(provider, '', { metadata, of: call ?? nextText });
}

/** Returns the metadata of a thinking block from this provider; null for any other block. */
export function readThinkingMetadata(block: ThinkingBlock, provider: string): JsonObject | null {
  const data = readCarriedReasoning(provider, block);
  return data !== null && data.of === undefined && isObject(data.metadata) ? data.metadata : null;
}

/** Returns the metadata for a block, from the block before it; null if that has none of this provider for it. */
export function readMetadata(block: ReplyBlock, before: ReplyBlock | undefined, provider: string): JsonObject | null {
  const owner = block.type === 'tool_use' ? block.id : block.type === 'text' ? nextText : null;
  const data = before?.type === 'thinking' ? readCarriedReasoning(provider, before) : null;
  return data !== null && owner !== null && data.of === owner && isObject(data.metadata) ? data.metadata : null;
}
