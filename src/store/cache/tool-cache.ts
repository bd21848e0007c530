/**
 * A cache of tool results, shared by chains.
 *
 * C1 Two calls are equal when namespace, tenant, tool, version of the tool and arguments are equal. A result of one tenant
 *    is never returned to another.
 * C2 A result is stored completely or not at all: the agent decides how much of it the model sees.
 */

import { computeDigest } from '../../core/lib/digest.js';
import { type Json, toCanonicalJson } from '../../core/lib/json.js';
import type { Store } from '../db/store.js';

export interface CacheKey {
  readonly namespace: string;
  readonly tenant: string | null;
  readonly tool: string;
  readonly version: string;
  readonly input: Json;
}

export interface ToolCache {
  /** Null when no result is stored, or it is older than `ttlMs`. */
  readonly get: (key: CacheKey, ttlMs: number) => Promise<{ readonly value: Json; readonly ageMs: number } | null>;
  /** Does not store a value that is too large. */
  readonly put: (key: CacheKey, value: Json, ttlMs: number) => Promise<void>;
  /** Deletes all results of a tenant's chains. */
  readonly erase: (of: Pick<CacheKey, 'namespace' | 'tenant'>) => Promise<void>;
}

/** Characters of a stored result. */
const maxValueChars = 500_000;

/** Time between two deletions of expired results. */
const pruneIntervalMs = 60_000;

export function createToolCache({ db, write }: Store, now: () => number = Date.now): ToolCache {
  let pruneAt = 0;
  return {
    get: async (key, ttlMs) => {
      const kept = await db
        .selectFrom('tool_cache')
        .select(['value', 'stored_at'])
        .where('key', '=', toCacheKey(key))
        .executeTakeFirst();
      if (kept === undefined) return null;
      // Another machine's clock may be ahead.
      const ageMs = Math.max(0, now() - kept.stored_at);
      return ageMs < ttlMs ? { value: JSON.parse(kept.value) as Json, ageMs } : null;
    },
    put: async (key, value, ttlMs) => {
      const text = JSON.stringify(value);
      if (text.length > maxValueChars) return;
      const at = now();
      const { namespace, tenant, tool } = key;
      const times = { stored_at: at, expires_at: at + ttlMs };
      const prune = at >= pruneAt;
      if (prune) pruneAt = at + pruneIntervalMs;
      await write(async (tx) => {
        if (prune) await tx.deleteFrom('tool_cache').where('expires_at', '<=', at).execute();
        await tx
          .insertInto('tool_cache')
          .values({ key: toCacheKey(key), namespace, tenant: tenant ?? '', tool, value: text, ...times })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text, ...times }))
          .execute();
      });
    },
    erase: async ({ namespace, tenant }) => {
      await write((tx) =>
        tx
          .deleteFrom('tool_cache')
          .where('namespace', '=', namespace)
          .where('tenant', '=', tenant ?? '')
          .execute(),
      );
    },
  };
}

/** C1. JSON separates the parts, so that no two keys are confused. */
function toCacheKey({ namespace, tenant, tool, version, input }: CacheKey): string {
  return computeDigest(toCanonicalJson([namespace, tenant, tool, version, input]));
}
