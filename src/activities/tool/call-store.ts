/**
 * The store, for one call: the whole of its observation where the model is shown a part, the artifacts of its tool, and
 * the answer to an equal call before, where the tool allows that.
 *
 * K1 A store that is down costs no call, and delays a chain only for a moment: observations are clipped as usual, and the
 *    store is left alone for a while.
 */

import type { RunToolInput } from '../../contract/activities.js';
import type { Json } from '../../core/lib/json.js';
import type { Observation } from '../../core/model/fact.js';
import type { Artifact } from '../../core/model/stored-content.js';
import type { BlobOwner } from '../../store/blobs/blob-refs.js';
import type { BlobStore } from '../../store/blobs/blobs.js';
import type { CacheKey, ToolCache } from '../../store/cache/tool-cache.js';
import { isStoreError } from '../../store/db/errors.js';
import type { Tool, ToolContext, ToolLog } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { toFullContent } from '../../tools/define/observation.js';
import { toErrorMessage, withTimeout } from '../context/failures.js';

/** Milliseconds that a call waits for the store, and that the store is left alone after it failed. */
const storeTimeoutMs = 5_000;
const storePauseMs = 30_000;

/** Does without the store where it fails. */
type StoreGuard = <T>(work: () => Promise<T>, log: ToolLog) => Promise<T | null>;

/** One for each worker. */
export function createStoreGuard(now: () => number = Date.now): StoreGuard {
  let restsUntil = 0;
  return async (work, log) => {
    if (now() < restsUntil) return null;
    try {
      const done = await withTimeout(work(), storeTimeoutMs);
      if (done !== null) return done.value;
      throw new Error(`it did not answer within ${storeTimeoutMs / 1_000} s`);
    } catch (error) {
      restsUntil = now() + storePauseMs;
      log.warn('The store was done without', { problem: toErrorMessage(error) });
      return null;
    }
  };
}

export interface CallStore {
  readonly blobs: BlobStore | null;
  readonly owner: BlobOwner;
  readonly guard: StoreGuard;
  readonly log: ToolLog;
}

/** The observation, with the place of the whole where it is kept. */
export async function storeFullContent(
  keeping: CallStore,
  value: Json,
  observation: Observation,
): Promise<Observation> {
  const { blobs, owner, guard, log } = keeping;
  if (blobs === null || observation.clippedFrom === null) return observation;
  const { content, mediaType } = toFullContent(value);
  const kept = await guard(() => blobs.put(owner, content, mediaType), log);
  return kept === null ? observation : { ...observation, whole: { digest: kept.digest, bytes: kept.bytes } };
}

/** What the tool of one call makes. */
interface ArtifactCollector {
  readonly artifact: ToolContext['artifact'];
  readonly list: () => readonly Artifact[];
}

export function createArtifactCollector({ blobs, owner }: Pick<CallStore, 'blobs' | 'owner'>): ArtifactCollector {
  const made: Artifact[] = [];
  const artifact: ToolContext['artifact'] = async (name, content, { mediaType } = {}) => {
    if (blobs === null) {
      throw new ToolError('This worker has no store, so nothing can be kept: set LONGHAND_STORE where it runs.');
    }
    const text = typeof content === 'string';
    const type = mediaType ?? (text ? 'text/plain; charset=utf-8' : 'application/octet-stream');
    try {
      const { digest, bytes } = await blobs.put(owner, text ? Buffer.from(content) : content, type);
      const kept: Artifact = { artifact: name, digest, bytes, mediaType: type };
      made.push(kept);
      return kept;
    } catch (error) {
      if (isStoreError(error) && error.kind === 'tooLarge') throw new ToolError(error.message, { cause: error });
      throw error;
    }
  };
  return { artifact, list: () => made };
}

interface CacheLookup {
  /** Null where it has to be run. */
  readonly found: { readonly value: Json; readonly ageMs: number } | null;
  readonly put: (value: Json) => Promise<void>;
}

interface CacheContext {
  readonly toolCache: ToolCache | null;
  readonly guard: StoreGuard;
  readonly log: ToolLog;
  readonly namespace: string;
  readonly tenant: () => Promise<string | null>;
}

const noCacheLookup: CacheLookup = { found: null, put: async () => {} };

/** Looks for the answer to an equal call. A cache that is down has none. */
export async function findCachedAnswer(
  asking: CacheContext,
  tool: Tool,
  { input }: RunToolInput,
): Promise<CacheLookup> {
  const { toolCache, guard, log, namespace } = asking;
  const { cache, name } = tool;
  if (toolCache === null || cache === undefined || tool.snapshot.effects !== 'read') return noCacheLookup;
  const looked = await guard(async () => {
    const key: CacheKey = { namespace, tenant: await asking.tenant(), tool: name, version: cache.version, input };
    return { key, found: await toolCache.get(key, cache.ttlMs) };
  }, log);
  if (looked === null) return noCacheLookup;
  const { key, found } = looked;
  return {
    found,
    put: async (value) => {
      await guard(() => toolCache.put(key, value, cache.ttlMs), log);
    },
  };
}
