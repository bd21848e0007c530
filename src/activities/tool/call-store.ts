/**
 * The store for one call: the full content of a clipped observation, the tool's artifacts, and the cached result of an
 * equal call. An unavailable store fails no call (context/store-guard.ts): observations are clipped as usual.
 */

import type { RunToolInput } from '../../contract/index.js';
import type { Json } from '../../core/lib/index.js';
import { isWithoutEffect, type Observation, type StoredFile, toFileName, toMediaType } from '../../core/model/index.js';
import { type BlobOwner, type BlobStore, isStoreError } from '../../store/index.js';
import { type Tool, type ToolContext, ToolError, type ToolLog, toFullContent } from '../../tools/define/index.js';
import {
  type CacheContext,
  type CachedValue,
  findCachedValue,
  noCachedValue,
  type StoreGuard,
} from '../context/store-guard.js';

export interface CallStore {
  readonly blobs: BlobStore | null;
  readonly owner: BlobOwner;
  readonly guard: StoreGuard;
  readonly log: ToolLog;
}

/** Stores the full content of a clipped observation and adds its reference. */
export async function storeFullContent(store: CallStore, value: Json, observation: Observation): Promise<Observation> {
  const { blobs, owner, guard, log } = store;
  if (blobs === null || observation.clippedFrom === null) return observation;
  const { content, mediaType } = toFullContent(value);
  const stored = await guard(() => blobs.put(owner, content, mediaType), log);
  return stored === null
    ? observation
    : { ...observation, fullObservation: { digest: stored.digest, bytes: stored.bytes } };
}

/** Collects the artifacts of one call. */
interface ArtifactCollector {
  readonly artifact: ToolContext['artifact'];
  readonly list: () => readonly StoredFile[];
}

export function createArtifactCollector({ blobs, owner }: Pick<CallStore, 'blobs' | 'owner'>): ArtifactCollector {
  const artifacts: StoredFile[] = [];
  const artifact: ToolContext['artifact'] = async (name, content, { mediaType } = {}) => {
    if (blobs === null) {
      throw new ToolError('This worker has no store for artifacts. Set LONGHAND_STORE where the worker runs.');
    }
    const text = typeof content === 'string';
    const type = mediaType ?? (text ? 'text/plain; charset=utf-8' : 'application/octet-stream');
    try {
      const { digest, bytes } = await blobs.put(owner, text ? Buffer.from(content) : content, type);
      const stored: StoredFile = { name: toFileName(name), digest, bytes, mediaType: toMediaType(type) };
      artifacts.push(stored);
      return stored;
    } catch (error) {
      if (isStoreError(error) && error.kind === 'tooLarge') throw new ToolError(error.message, { cause: error });
      throw error;
    }
  };
  return { artifact, list: () => artifacts };
}

/** Looks up the result of an equal call. An unavailable cache has no result. */
export async function findCachedAnswer(
  context: CacheContext,
  { cache, name, snapshot }: Tool,
  { input, models = [] }: RunToolInput,
): Promise<CachedValue> {
  if (cache === undefined || !isWithoutEffect(snapshot.effects)) return noCachedValue;
  // An alias may name another model later.
  const version = [cache.version, ...models.map(({ model }) => model.id)].join(' ');
  return findCachedValue(context, { tool: name, version, input }, cache.ttlMs);
}
