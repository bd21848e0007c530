/**
 * Replies of an agent with `cacheReplies`, by their requests. Shared by the chains of a tenant.
 *
 * R1 Requests are equal when tenant, provider, model, its options and the whole rendered request are equal. `maxTokens` is no part: it
 *    is lowered to what a budget leaves. Only complete replies are stored, and none is used that is longer than the call may be.
 * R2 No reply is stored that has a problem, was cut, or has no plausible usage, and none for a request with files.
 * R3 It is looked up after the rules for models were checked, and before anything is sent. An unavailable store is a miss (K1).
 */

import type { Agent } from '../../agents/index.js';
import { check, type Json } from '../../core/lib/index.js';
import {
  type CachedReply,
  checkBlock,
  checkCounts,
  type ModelReply,
  noUsage,
  type Reply,
  type ReplyStopReason,
  type Usage,
} from '../../core/model/index.js';
import type { ModelCall } from '../../models/index.js';
import { toMilliseconds } from '../../options/index.js';
import { type CacheContext, findCachedValue } from '../context/store-guard.js';

interface ReplyLookup {
  /** Null when a model must be asked. */
  readonly found: { readonly reply: Reply; readonly cached: CachedReply } | null;
  /** Stores the reply of a model with its reading, if it may serve again. */
  readonly put: (reply: Reply, read: Pick<ModelReply, 'reading'>) => Promise<void>;
}

/** @param hash of the request */
export async function findCachedReply(
  context: CacheContext,
  { definition: { cacheReplies } }: Agent,
  { request, files, model, maxTokens }: ModelCall,
  hash: (request: ModelCall['request']) => string,
): Promise<ReplyLookup> {
  if (cacheReplies === undefined || files !== undefined) return noCachedReply;
  const { provider, id, temperature, effort, thinking } = model;
  const input = { request: hash(request), temperature, effort, thinking };
  const part = { tool: 'model reply', version: `${provider}/${id}`, input };
  const { found, put } = await findCachedValue(context, part, toMilliseconds(cacheReplies));
  return {
    found: found === null ? null : readStored(found.value, Math.floor(found.ageMs), maxTokens),
    put: async ({ model: answered, stopReason, content, usage }, { reading }) => {
      const stored = { model: answered, stopReason, content, usage };
      if (reading.problem === null && checkStored.is(stored)) await put(stored as unknown as Json);
    },
  };
}

const noCachedReply: ReplyLookup = { found: null, put: async () => {} };

/** R2. */
const checkStored = check.shape<Pick<Reply, 'model' | 'stopReason' | 'content'> & { readonly usage: Usage }>({
  model: check.text,
  stopReason: check.oneOf<ReplyStopReason>(['end_turn', 'stop_sequence', 'tool_use']),
  content: check.list(checkBlock) as check.Check<Reply['content']>,
  usage: checkCounts,
});

function readStored(value: unknown, ageMs: number, maxTokens: number): ReplyLookup['found'] {
  if (!checkStored.is(value) || value.usage.output > maxTokens) return null;
  const { usage, ...reply } = value;
  return { reply: { ...reply, usage: noUsage }, cached: { ageMs, usage } };
}
