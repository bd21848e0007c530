/**
 * What a call leaves in the store: its observation, where the model is shown a part of it, and what its tool makes.
 *
 * K1 A store that is down costs no call, and no chain more than a moment: its observation is clipped and goes on, and the
 *    store is left alone for a while.
 */

import type { Json } from '../../core/lib/json.js';
import type { Observation } from '../../core/model/fact.js';
import type { Artifact } from '../../core/model/kept.js';
import type { BlobOwner, Blobs } from '../../store/blobs/blobs.js';
import { isStoreError } from '../../store/db/errors.js';
import type { ToolContext, ToolLog } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { wholeOf } from '../../tools/define/observation.js';
import { messageOf } from '../context/failures.js';
import { inTime } from '../context/in-time.js';

/** Milliseconds that a call waits for the store, and that the store is left alone after it failed. */
const patienceMs = 5_000;
const restMs = 30_000;

/** Does without the store where it fails. */
export type Sparing = <T>(work: () => Promise<T>, log: ToolLog) => Promise<T | null>;

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
export interface Artifacts {
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
