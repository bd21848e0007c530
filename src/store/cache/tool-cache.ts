/**
 * What tools have answered, for equal calls of other chains.
 *
 * C1 A call is equal to another of the same namespace, tenant, tool, version of the tool, and arguments. What one tenant
 *    asked never answers another.
 * C2 An answer is kept whole or not at all: how much of it a model is shown is its agent's to say.
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
  /** Null where there is none, or it is older than that. */
  readonly get: (key: CacheKey, ttlMs: number) => Promise<{ readonly value: Json; readonly ageMs: number } | null>;
  /** A value that is too large is not kept. */
  readonly put: (key: CacheKey, value: Json, ttlMs: number) => Promise<void>;
  /** All that a tenant's chains were answered. */
  readonly erase: (of: Pick<CacheKey, 'namespace' | 'tenant'>) => Promise<void>;
}

/** Characters of an answer. */
const maxValueChars = 500_000;

/** Milliseconds between two looks for answers that no longer stand. */
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
      // By another machine's clock it may have been stored a moment from now.
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

/** C1: JSON, so that no word of one part can pass for the beginning of the next. */
function toCacheKey({ namespace, tenant, tool, version, input }: CacheKey): string {
  return computeDigest(toCanonicalJson([namespace, tenant, tool, version, input]));
}
