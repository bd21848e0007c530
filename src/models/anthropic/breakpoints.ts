/**
 * Places the breakpoints of the provider's prompt cache. The provider stores the request up to each breakpoint, and reads the
 * longest stored beginning that ends at a breakpoint or at most 20 blocks before one. A request may have four:
 *
 * 1. The end of the system prompt, or of the tools of a request without one: all chains of an agent share it.
 * 2. The end of the first message: the task stays when the steps after it are replaced by a summary.
 * 3. The end of the message before the newest reply. The request before ended there, so it is found however many blocks the
 *    newest step has, and also where the last block of that request was dropped from this one (the notes of `react`).
 * 4. The end of the request. It moves with the conversation. The member `cache_control` of the request itself would do the same,
 *    but LiteLLM's proxy passes it on to models of other APIs, which reject it.
 */

import type { JsonObject } from '../../core/lib/index.js';

export const breakpoint = { cache_control: { type: 'ephemeral' } } as const;

interface WireMessage {
  readonly role: string;
  readonly content: readonly object[];
}

/** Marks the messages for 2 to 4. */
export function markMessages(messages: readonly WireMessage[]): readonly WireMessage[] {
  const newestReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([0, newestReply - 1, messages.length - 1]);
  return messages.map((message, at) => (marked.has(at) ? markEnd(message) : message));
}

function markEnd(message: WireMessage): WireMessage {
  return { ...message, content: markLast(message.content) };
}

/** Marks the last of some blocks or tools. */
function markLast(blocks: readonly object[]): readonly object[] {
  const last = blocks.length - 1;
  return blocks.map((block, at) => (at === last ? { ...block, ...breakpoint } : block));
}

/** Tools have a breakpoint only without a system prompt, whose breakpoint includes them. */
export function markTools(tools: readonly JsonObject[], system: string): readonly object[] {
  return system === '' ? markLast(tools) : tools;
}
