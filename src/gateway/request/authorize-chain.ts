/**
 * Checks that the caller may access the chain, by the tenant and the user of its start. Every request for a chain passes it.
 *
 * A chain out of reach is reported as one that does not exist, so that ids of other tenants cannot be found by guessing.
 */

import { LRUCache } from 'lru-cache';
import {
  ChainNotFoundError,
  explainUnreadable,
  isGone,
  type Longhand,
  type ReadingClient,
  readStartData,
  resolveChainSource,
} from '../../client/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import { canReach, type Identity } from '../identity/identity.js';
import type { ReachedChain, RequestContext } from './context.js';

type ChainOwner = Pick<ReachedChain, 'agent' | 'tenant' | 'user'>;

type OwnedChain = ChainOwner & Pick<ReachedChain, 'source'>;

export type AuthorizeChain = (identity: Identity, chainId: string) => Promise<ReachedChain>;

const maxKnownRuns = 10_000;

/** @returns a function that throws {ChainNotFoundError} where the chain does not exist or is out of reach */
export function createAuthorizeChain(longhand: Longhand): AuthorizeChain {
  /** By run: a chain id may be used again, for another tenant; what a run started with never changes. */
  const owners = new LRUCache<string, ChainOwner>({ max: maxKnownRuns });
  return async (identity, chainId) => {
    const owner = await findOwner(longhand.client, chainId, owners).catch((error: unknown) => {
      // Of an erased chain the user is unknown.
      if (isLonghandError(error) && error.code === 'chain_erased' && identity.tenant !== null)
        throw new ChainNotFoundError(chainId);
      throw error;
    });
    if (owner === null || !canReach(identity, owner)) throw new ChainNotFoundError(chainId);
    return { handle: longhand.getHandle(chainId), chainId, ...owner };
  };
}

/**
 * Returns which chains of a list are read for a caller: undefined for all, where the server's list has those of the caller's
 * tenant. A chain whose owner cannot be read is omitted.
 */
export function createListFilter({ identity, reach }: Pick<RequestContext, 'identity' | 'reach'>) {
  if (identity.reach !== 'own') return undefined;
  return (chainId: string): Promise<boolean> =>
    reach(chainId).then(
      () => true,
      (error: unknown) => {
        if (!isGone(error) && explainUnreadable(error) === null) throw error;
        return false;
      },
    );
}

async function findOwner(
  client: ReadingClient,
  chainId: string,
  owners: LRUCache<string, ChainOwner>,
): Promise<OwnedChain | null> {
  const source = await resolveChainSource(client, chainId);
  const known = owners.get(source.runId);
  if (known !== undefined) return { ...known, source };
  const start = source.archivedChain?.listing.glance ?? (await readStartData(source)).input;
  if (start === null) return null;
  const owner = { agent: start.agent, tenant: start.tenant ?? null, user: start.user ?? null };
  owners.set(source.runId, owner);
  return { ...owner, source };
}
