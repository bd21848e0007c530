/**
 * The only way from a request to a chain: who reaches it is decided here, by the tenant and the user of its start.
 *
 * A chain out of reach is reported as one that does not exist, so that ids of other tenants cannot be found by guessing.
 */

import { LRUCache } from 'lru-cache';
import type { Longhand } from '../../client/connect.js';
import { ChainNotFoundError } from '../../client/errors/errors.js';
import { resolveChainSource } from '../../client/read/chain-source.js';
import { readStartData } from '../../client/read/start-data.js';
import { isLonghandError } from '../../core/lib/errors.js';
import { canReach, type Identity } from '../identity/identity.js';
import type { ReachedChain } from './context.js';

type ChainOwner = Pick<ReachedChain, 'agent' | 'tenant' | 'user'>;

type OwnedChain = ChainOwner & Pick<ReachedChain, 'source'>;

export type ReachChain = (identity: Identity, chainId: string) => Promise<ReachedChain>;

const maxKnownRuns = 10_000;

/** @returns a function that throws {ChainNotFoundError} where the chain does not exist or is out of reach */
export function createReach(longhand: Longhand): ReachChain {
  /** By run: a chain id may be used again, for another tenant; what a run started with never changes. */
  const owners = new LRUCache<string, ChainOwner>({ max: maxKnownRuns });
  return async (identity, chainId) => {
    const owner = await findOwner(longhand, chainId, owners).catch((error: unknown) => {
      // Of an erased chain the user is unknown.
      if (isLonghandError(error) && error.code === 'chain_erased' && identity.tenant !== null)
        throw new ChainNotFoundError(chainId);
      throw error;
    });
    if (owner === null || !canReach(identity, owner)) throw new ChainNotFoundError(chainId);
    return { handle: longhand.getHandle(chainId), chainId, ...owner };
  };
}

async function findOwner(
  { client, archive }: Longhand,
  chainId: string,
  owners: LRUCache<string, ChainOwner>,
): Promise<OwnedChain | null> {
  const source = await resolveChainSource(client, chainId);
  const known = owners.get(source.runId);
  if (known !== undefined) return { ...known, source };
  const owner = source.archivedChain === null ? await readOwner(source) : await readArchivedOwner(archive, chainId);
  if (owner === null) return null;
  owners.set(source.runId, owner);
  return { ...owner, source };
}

async function readOwner(source: Parameters<typeof readStartData>[0]): Promise<ChainOwner | null> {
  const { input } = await readStartData(source);
  return input === null ? null : { agent: input.agent, tenant: input.tenant ?? null, user: input.user ?? null };
}

async function readArchivedOwner(archive: Longhand['archive'], chainId: string): Promise<ChainOwner | null> {
  const [chain] = (await archive?.list({ chainId, limit: 1 }))?.chains ?? [];
  if (chain === undefined) return null;
  return { agent: chain.agent, tenant: chain.tenant, user: chain.user };
}
