/**
 * What a chain's next run is started with: the state as the run before left it. What the chain has said and seen stays
 * in that run's history, where readers find it; a state is bounded, so this is.
 *
 * 1. The state is that of the last turn, to the letter: whoever folds the run before comes to the same, and is held to it.
 * 2. It is read by the version that it was written in. One that is not known is not guessed at.
 */

import { isObject, type Json, utf8Bytes } from '../lib/json.js';
import { pack, unpack } from '../lib/pack.js';
import type { State } from '../model/state.js';

export const continuationVersion = 1;

/** UTF-8 bytes of a state that is carried as it is; a larger one is packed. */
const mostPlain = 64 * 1024;

/** A paragraph of the Web UI's page of a chain, and the call that it is about, if it is about one. */
export interface Paragraph {
  readonly call: string | null;
  readonly text: string;
  /** Sub-chains that the call has begun. */
  readonly chains?: number;
}

/** What stands in the Web UI, which no fact tells. Of bounded size. */
export interface Display {
  readonly paragraphs: readonly Paragraph[];
  /** What tools have called sensitive, and is hidden from then on. */
  readonly hidden: readonly string[];
}

export interface Continuation {
  readonly continuation: typeof continuationVersion;
  /** Id of the run before. */
  readonly runId: string;
  readonly state: State | { readonly packed: string };
  readonly display: Display;
}

export function continuationOf(state: State, runId: string, display: Display): Continuation {
  const plain = state as unknown as Json;
  const carried = utf8Bytes(JSON.stringify(plain)) > mostPlain ? { packed: pack(plain) } : state;
  return { continuation: continuationVersion, runId, state: carried, display };
}

/** Also of a version that is not known: `stateOf` says so. */
export function isContinuation(input: unknown): input is Continuation {
  return isObject(input) && 'continuation' in input && typeof input.runId === 'string';
}

/** @throws Error for what another version wrote: a worker of that version can go on with it */
export function stateOf({ continuation, state }: Continuation): State {
  if (continuation !== continuationVersion) {
    throw new Error(
      `The chain was continued by version ${JSON.stringify(continuation)} of its snapshot, and this worker knows ${continuationVersion}. Deploy a newer version of Longhand to the workers.`,
    );
  }
  const plain = 'packed' in state ? unpack(state.packed) : state;
  if (plain === undefined) throw new Error('The snapshot that the chain goes on from cannot be read.');
  return plain as State;
}
