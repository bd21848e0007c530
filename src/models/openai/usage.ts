/** The usage that Chat Completions report, in our counts, so that no token is counted twice. */

import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import type { Usage } from '../../core/model/index.js';
import { parseCounts } from '../wire/reply-parts.js';

interface ChatUsage {
  /** Null if a count is missing or invalid. */
  readonly usage: Usage | null;
  /** Why `usage` is null, as a clause; null otherwise. */
  readonly problem: string | null;
}

/**
 * Parses a report.
 *
 * 1. `prompt_tokens` includes tokens that were read from the prompt cache or written to it; our input excludes them.
 * 2. `completion_tokens` includes reasoning at most servers. Where it does not, the total has it: it is charged as output.
 */
export function parseChatUsage(reported: Json): ChatUsage {
  const { counts, problem } = parseCounts(reported, listCounts);
  if (problem !== null) return { usage: null, problem };
  const { prompt, completion, cacheRead = 0, cacheWrite = 0, total = 0 } = counts;
  if (prompt === undefined) return { usage: null, problem: 'it reported no prompt_tokens' };
  if (completion === undefined) return { usage: null, problem: 'it reported no completion_tokens' };
  const cached = cacheRead + cacheWrite;
  if (cached > prompt)
    return { usage: null, problem: `it reported ${cached} cached tokens of ${prompt} prompt_tokens` };
  const unseen = Math.max(0, total - prompt - completion);
  const reasoning = counts.reasoning ?? unseen;
  const output = reasoning > completion ? completion + Math.max(reasoning, unseen) : completion + unseen;
  return { usage: { input: prompt - cached, output, cacheRead, cacheWrite, thinking: reasoning }, problem: null };
}

type ChatCount = 'prompt' | 'completion' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning';

function listCounts(usage: JsonObject): Readonly<Record<ChatCount, readonly [name: string, value: Json | undefined]>> {
  const prompt = toObject(usage.prompt_tokens_details);
  const completion = toObject(usage.completion_tokens_details);
  return {
    prompt: ['prompt_tokens', usage.prompt_tokens],
    completion: ['completion_tokens', usage.completion_tokens],
    total: ['total_tokens', usage.total_tokens],
    // DeepSeek has a member of its own.
    cacheRead: ['cached_tokens', prompt.cached_tokens ?? usage.prompt_cache_hit_tokens],
    cacheWrite: ['cache_write_tokens', prompt.cache_write_tokens],
    reasoning: ['reasoning_tokens', completion.reasoning_tokens],
  };
}

function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
