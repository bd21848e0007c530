/**
 * Whose chains are, as far as this process has come to know: it started them, read them, or opened something of theirs.
 * A chain that is not known here is sealed for with a key of no tenant, which opens as well.
 */

import { LRUCache } from 'lru-cache';

/** A sub-chain's id is its parent's and the call that began it: `editor-3f2a/2.1`, `…/2.1.judge`, `…/2.1~2`. */
const ofSubChain = /^(.+)\/\d+\.\d+(?:\.(?:\d+|judge))?(?:~\d+)?$/s;

export class Tenants {
  private readonly known = new LRUCache<string, string>({ max: 10_000 });

  learn(chainId: string, tenant: string | null): void {
    if (tenant !== null) this.known.set(chainId, tenant);
  }

  /** Sub-chains are of the tenant of the chain above them. */
  of(chainId: string): string | null {
    for (let id: string | undefined = chainId; id !== undefined; id = ofSubChain.exec(id)?.[1]) {
      const tenant = this.known.get(id);
      if (tenant !== undefined) return tenant;
    }
    return null;
  }
}
