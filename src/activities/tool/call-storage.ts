/**
 * Connects built-in tools to the worker's store, for one call.
 *
 * Scopes are those of the chain: the model can name neither another tenant, agent or user, nor another chain's contents.
 */

import type { RunToolInput } from '../../contract/index.js';
import { bytesPerToken, type Chain } from '../../core/model/index.js';
import { createRedactor } from '../../core/redact/index.js';
import { registeredSecretsMasker } from '../../secrets/index.js';
import { createMemoryStore } from '../../store/index.js';
import {
  type CallMemory,
  type CallStorage,
  type ClippedResult,
  type MemoryOwner,
  ToolError,
} from '../../tools/define/index.js';
import type { Dependencies } from '../context/dependencies.js';

interface StoringCall {
  readonly namespace: string;
  readonly chainId: string;
  readonly agent: string;
  readonly requester: { readonly tenant: string | null; readonly user: string | null };
  readonly input: RunToolInput;
  readonly chain: () => Promise<Chain>;
}

export function createCallStorage(
  { store, blobs }: Pick<Dependencies, 'store' | 'blobs'>,
  call: StoringCall,
): CallStorage {
  return {
    memory: store === null ? null : createCallMemory(store, call),
    listClippedResults: async () => listClippedResults(blobs, call, await call.chain()),
    maxObservationBytes: Math.max(1, call.input.maxObservationTokens) * bytesPerToken,
  };
}

function createCallMemory(store: NonNullable<Dependencies['store']>, call: StoringCall): CallMemory {
  const { namespace, chainId, agent, requester } = call;
  // An empty name counts as no name: as a scope, all who have it would share it.
  const [tenant, user] = [requester.tenant || null, requester.user || null];
  const memories = createMemoryStore(store);
  const toScope = (memoryOwner: MemoryOwner) => {
    if (memoryOwner === 'user' && user === null) {
      throw new ToolError('This chain has no user, so it has no memory of its own. Continue without it.');
    }
    return { namespace, tenant, agent, owner: memoryOwner === 'user' ? user : null };
  };
  return {
    put: async (owner, { key, text, ttlMs, most }) => {
      const scope = toScope(owner);
      const { startedAt } = (await call.chain()).state;
      const chain = { chainId, user, startedAt };
      return await memories.put(scope, { key: maskSecrets(key), text: maskSecrets(text), ttlMs, most, chain });
    },
    forget: async (owner, key) => await memories.forget(toScope(owner), maskSecrets(key)),
    get: async (owner, key) => await memories.get(toScope(owner), maskSecrets(key)),
    list: async (owner) => await memories.list(toScope(owner)),
  };
}

/** Names and addresses are no secrets: an agent may have to remember them. */
const secretKinds = ['private-key', 'api-key', 'jwt', 'token', 'password', 'secret', 'card'] as const;

/** A memory outlives its chain, and is read by models that never saw the secret. */
function maskSecrets(text: string): string {
  return createRedactor({ kinds: secretKinds }).text(registeredSecretsMasker.text(text));
}

function listClippedResults(
  blobs: Dependencies['blobs'],
  { namespace, chainId }: StoringCall,
  { steps }: Chain,
): readonly ClippedResult[] {
  const calls = steps.flatMap((step) => step.calls).reverse();
  return calls.flatMap(({ id, tool, clippedFrom, fullObservation }): readonly ClippedResult[] => {
    if (clippedFrom === null) return [];
    const result = { call: id, tool, bytes: fullObservation?.bytes ?? clippedFrom };
    if (blobs === null || fullObservation === undefined) return [{ ...result, read: null }];
    // Only a content that this chain has stored is found.
    const read = async () => (await blobs.get({ namespace, chainId }, fullObservation.digest))?.content ?? null;
    return [{ ...result, read }];
  });
}
