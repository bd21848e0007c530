/** A call that an equal one has answered before, where its tool says that answers stand for a while. */

import type { RunToolInput } from '../../contract/activities.js';
import type { Json } from '../../core/lib/json.js';
import type { CacheKey, ToolCache } from '../../store/cache/tool-cache.js';
import type { Tool, ToolLog } from '../../tools/define/define-tool.js';
import type { Sparing } from './keep-whole.js';

export interface CachedAnswer {
  /** Null where it has to be run. */
  readonly found: { readonly value: Json; readonly ageMs: number } | null;
  readonly keep: (value: Json) => Promise<void>;
}

interface Asking {
  readonly toolCache: ToolCache | null;
  readonly spare: Sparing;
  readonly log: ToolLog;
  readonly namespace: string;
  readonly tenant: () => Promise<string | null>;
}

const nothing: CachedAnswer = { found: null, keep: async () => {} };

/** A cache that is down is one that knows nothing. */
export async function cachedAnswer(asking: Asking, tool: Tool, { input }: RunToolInput): Promise<CachedAnswer> {
  const { toolCache, spare, log, namespace } = asking;
  const { cache, name } = tool;
  if (toolCache === null || cache === undefined || tool.snapshot.effects !== 'read') return nothing;
  const looked = await spare(async () => {
    const key: CacheKey = { namespace, tenant: await asking.tenant(), tool: name, version: cache.version, input };
    return { key, found: await toolCache.get(key, cache.ttlMs) };
  }, log);
  if (looked === null) return nothing;
  const { key, found } = looked;
  return {
    found,
    keep: async (value) => {
      await spare(() => toolCache.put(key, value, cache.ttlMs), log);
    },
  };
}
