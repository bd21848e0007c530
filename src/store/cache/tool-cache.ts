/**
 * A cache of tool results, shared by chains.
 *
 * C1 Two calls are equal when namespace, tenant, tool, version of the tool and arguments are equal. A result of one tenant
 *    is never returned to another.
 * C2 A result is stored completely or not at all: the agent decides how much of it the model sees.
 * C3 A result is as old as the lookup before its call, by the database's clock: it may show the state of that moment, however
 *    long the call took. Workers need not agree on the time.
 * C4 Equal calls that run at the same time may each execute. The last one that ends is stored.
 * C5 With encryption, values are sealed for their tenant. One that does not open is not stored.
 */

import { computeDigest, type Json, toCanonicalJson } from '../../core/lib/index.js';
import { readDatabaseClock } from '../db/clock.js';
import { openText, sealText, type TextSealer } from '../db/sealed-text.js';
import type { Store } from '../db/store.js';

export interface CacheKey {
  readonly namespace: string;
  readonly tenant: string | null;
  readonly tool: string;
  readonly version: string;
  readonly input: Json;
}

interface CacheLookup {
  /** Null when no result is stored, or it is older than the time to live. */
  readonly found: { readonly value: Json; readonly ageMs: number } | null;
  /** Time of the lookup, by the clock of the store. */
  readonly at: number;
}

export interface ToolCache {
  readonly get: (key: CacheKey, ttlMs: number) => Promise<CacheLookup>;
  /**
   * Does not store a value that is too large.
   *
   * @param at time of the lookup before the call
   */
  readonly put: (key: CacheKey, value: Json, times: { readonly at: number; readonly ttlMs: number }) => Promise<void>;
  /** Deletes all results of a tenant's chains. */
  readonly erase: (owner: Pick<CacheKey, 'namespace' | 'tenant'>) => Promise<void>;
}

/** Characters of a stored result. */
const maxValueChars = 500_000;

/** Time between two deletions of expired results. */
const pruneIntervalMs = 60_000;

/**
 * @param now for tests; default: the database's clock (C3)
 * @param sealer null without encryption
 */
export function createToolCache(store: Store, now?: () => number, sealer: TextSealer | null = null): ToolCache {
  const { db, write } = store;
  let pruneAt = 0;
  return {
    get: async (key, ttlMs) => {
      const row = await db
        .selectFrom('tool_cache')
        .select(['value', 'stored_at'])
        .where('key', '=', toCacheKey(key))
        .executeTakeFirst();
      const at = now === undefined ? await readDatabaseClock(db, store) : now();
      if (row === undefined) return { found: null, at };
      const ageMs = at - row.stored_at;
      // The age of a result of the future is not known: the clock was set back.
      if (ageMs < 0 || ageMs >= ttlMs) return { found: null, at };
      const text = openText(row.value, sealer);
      return { found: text === null ? null : { value: JSON.parse(text) as Json, ageMs }, at };
    },
    put: async (key, value, { at, ttlMs }) => {
      const { namespace, tenant, tool } = key;
      const plain = JSON.stringify(value);
      if (plain.length > maxValueChars) return;
      const text = sealText(plain, tenant, sealer);
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
