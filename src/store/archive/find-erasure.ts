/** Finds the erasure that covers a chain: of itself or a chain above it, of its person, or of its tenant. */

import type { StoreTransaction, Tables } from '../db/store.js';
import type { ChainKey } from './run-rows.js';

/** An erasure takes this lock exclusively; storing content of chains shares it. */
export const erasureLockName = 'archive:erasure';

export interface Erasure extends Pick<Tables['archive_erasures'], 'erased_at' | 'erased_by'> {
  readonly scope: 'chain' | 'user' | 'tenant';
}

interface ErasableChain extends ChainKey {
  readonly user: string | null;
  readonly tenant: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Null when the chain was not erased after it started: a later chain with the same id is a different chain. */
export async function findErasure(
  tx: StoreTransaction,
  { namespace, chainId, user, tenant, startedAt }: ErasableChain,
): Promise<Erasure | null> {
  const chain = await tx
    .selectFrom('archive_chains')
    .where('namespace', '=', namespace)
    .where('chain_id', 'in', [chainId, ...listAncestorIds(chainId)])
    .where('erased_at', '>=', startedAt)
    .select(['erased_at', 'erased_by'])
    .executeTakeFirst();
  if (chain !== undefined && chain.erased_at !== null) return { ...chain, erased_at: chain.erased_at, scope: 'chain' };
  const erasure = await tx
    .selectFrom('archive_erasures')
    .where('namespace', '=', namespace)
    .where('erased_at', '>=', startedAt)
    .where((it) =>
      it.or([
        it.and([it('what', '=', 'user'), it('name', '=', user ?? '')]),
        it.and([it('what', '=', 'tenant'), it('name', '=', tenant ?? '')]),
      ]),
    )
    .select(['erased_at', 'erased_by', 'what as scope'])
    .executeTakeFirst();
  return erasure ?? null;
}

/** An erasure of a chain covers its sub-chains, which may be archived later. */
function listAncestorIds(chainId: string): readonly string[] {
  const parts = chainId.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
