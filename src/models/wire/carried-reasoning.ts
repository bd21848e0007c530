/**
 * Reasoning of wires without signed thinking, carried in the signature of a thinking block: what the provider wants back,
 * with its name. So that no other provider gets it, each wire sends only the thinking that is its own.
 */

import { isObject, type JsonObject } from '../../core/lib/index.js';
import type { ThinkingBlock } from '../../core/model/index.js';

const mark = 'longhand:';

/** @param owner the name of the provider; @param data members to send back */
export function createCarriedReasoning(owner: string, thinking: string, data: JsonObject): ThinkingBlock {
  return { type: 'thinking', thinking, signature: mark + JSON.stringify({ ...data, owner }) };
}

/** Returns the data of a block; null for the thinking of another provider. */
export function readCarriedReasoning(owner: string, { signature }: ThinkingBlock): JsonObject | null {
  if (!signature.startsWith(mark)) return null;
  try {
    const data: unknown = JSON.parse(signature.slice(mark.length));
    return isObject(data) && data.owner === owner ? data : null;
  } catch {
    return null;
  }
}

/** Whether a block carries reasoning of a wire without signatures. */
export function isCarriedReasoning(block: { readonly type: string; readonly signature?: unknown }): boolean {
  return block.type === 'thinking' && typeof block.signature === 'string' && block.signature.startsWith(mark);
}
