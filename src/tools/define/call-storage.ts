/** The worker's store for one call of a built-in tool: memories of the agent, and the full results of earlier calls. */

export interface RememberedText {
  readonly key: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
}

export type MemoryOwner = 'tenant' | 'user';

export interface CallMemory {
  /** Stores a text without secrets. `full`: there is no room for another key. `erased`: the chain's content was erased. */
  readonly put: (
    memoryOwner: MemoryOwner,
    memory: { readonly key: string; readonly text: string; readonly ttlMs: number; readonly most: number },
  ) => Promise<'stored' | 'full' | 'erased'>;
  readonly forget: (owner: MemoryOwner, key: string) => Promise<boolean>;
  readonly get: (owner: MemoryOwner, key: string) => Promise<RememberedText | null>;
  /** The newest first. */
  readonly list: (owner: MemoryOwner) => Promise<readonly RememberedText[]>;
}

/** A result of the chain that the model saw clipped. */
export interface ClippedResult {
  /** Step and position: `3.1`. */
  readonly call: string;
  readonly tool: string;
  /** Of the full result. */
  readonly bytes: number;
  /** Reads the full result in pieces; null if it was not stored. */
  readonly read: (() => Promise<AsyncIterable<Uint8Array> | null>) | null;
}

export interface CallStorage {
  /** Null without a store. */
  readonly memory: CallMemory | null;
  /** Of this chain, the newest first. */
  readonly listClippedResults: () => Promise<readonly ClippedResult[]>;
  /** Most bytes of an observation: more is clipped. */
  readonly maxObservationBytes: number;
}
