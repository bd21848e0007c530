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
import type { Artifact } from '../../core/model/kept.js';
import type { BlobOwner } from '../../store/blobs/blob-refs.js';
import type { Blobs } from '../../store/blobs/blobs.js';
import type { CacheKey, ToolCache } from '../../store/cache/tool-cache.js';
import { isStoreError } from '../../store/db/errors.js';
import type { Tool, ToolContext, ToolLog } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { wholeOf } from '../../tools/define/observation.js';
import { inTime, messageOf } from '../context/failures.js';

/** Milliseconds that a call waits for the store, and that the store is left alone after it failed. */
const patienceMs = 5_000;
const restMs = 30_000;

/** Does without the store where it fails. */
type Sparing = <T>(work: () => Promise<T>, log: ToolLog) => Promise<T | null>;

/** One for each worker. */
export function sparing(now: () => number = Date.now): Sparing {
  let restsUntil = 0;
  return async (work, log) => {
    if (now() < restsUntil) return null;
    try {
      const done = await inTime(work(), patienceMs);
      if (done !== null) return done.value;
      throw new Error(`it did not answer within ${patienceMs / 1_000} s`);
    } catch (error) {
      restsUntil = now() + restMs;
      log.warn('The store was done without', { problem: messageOf(error) });
      return null;
    }
  };
}

export interface Keeping {
  readonly blobs: Blobs | null;
  readonly owner: BlobOwner;
  readonly spare: Sparing;
  readonly log: ToolLog;
}

/** The observation, with the place of the whole where it is kept. */
export async function keepWhole(keeping: Keeping, value: Json, observation: Observation): Promise<Observation> {
  const { blobs, owner, spare, log } = keeping;
  if (blobs === null || observation.clippedFrom === null) return observation;
  const { content, mediaType } = wholeOf(value);
  const kept = await spare(() => blobs.put(owner, content, mediaType), log);
  return kept === null ? observation : { ...observation, whole: { digest: kept.digest, bytes: kept.bytes } };
}

/** What the tool of one call makes. */
interface Artifacts {
  readonly artifact: ToolContext['artifact'];
  readonly made: () => readonly Artifact[];
}

export function artifactsOf({ blobs, owner }: Pick<Keeping, 'blobs' | 'owner'>): Artifacts {
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
  return { artifact, made: () => made };
}

interface CachedAnswer {
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

/** Looks for the answer to an equal call. A cache that is down has none. */
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
