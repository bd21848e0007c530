/** A cache whose values are sealed: with encryption, replies of models. A value that does not open is not cached. */

import type { Json } from '../../core/lib/index.js';
import type { ToolCache } from './tool-cache.js';

interface CacheSealer {
  readonly seal: (bytes: Uint8Array, tenant: string | null) => Uint8Array;
  readonly open: (bytes: Uint8Array) => { readonly bytes: Uint8Array };
}

/** @param sealer null without encryption */
export function sealCache(cache: ToolCache, sealer: CacheSealer | null): ToolCache {
  if (sealer === null) return cache;
  const open = (sealed: Json): { readonly value: Json } | null => {
    try {
      const { bytes } = sealer.open(Buffer.from(String(sealed), 'base64'));
      return { value: JSON.parse(Buffer.from(bytes).toString('utf8')) as Json };
    } catch {
      return null;
    }
  };
  return {
    ...cache,
    get: async (key, ttlMs) => {
      const { found, at } = await cache.get(key, ttlMs);
      const opened = found === null ? null : open(found.value);
      return { at, found: found === null || opened === null ? null : { ...found, ...opened } };
    },
    put: (key, value, times) => {
      const sealed = sealer.seal(Buffer.from(JSON.stringify(value)), key.tenant);
      return cache.put(key, Buffer.from(sealed).toString('base64'), times);
    },
  };
}
