/**
 * A chain with its sub-chains, from their own histories.
 *
 * 1. Read is only what is looked at: those that are opened, and those that run, for what they are at. What has ended and
 *    stays folded, the history of its parent tells.
 * 2. However large a tree is, so many histories are read at most; the rest is told as its parents know it.
 */

import type { Client } from '@temporalio/client';
import type { BegunChain } from '../../core/model/child.js';
import { resultOfClosed } from '../../core/record/closed-result.js';
import { reason } from '../../core/view/reason.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { type Looked, lookInto } from '../../core/view/sub-chain.js';
import { isAway } from '../errors/errors.js';
import type { ReadChain } from './chain-pages.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';
import { keptSource, sourceOf } from './source.js';

/** Histories of one tree that are read at most. */
const mostChains = 500;

export type ReadParent = Pick<ReadChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>;

/** @param depth levels of sub-chains that are opened; 0 folds all */
export async function withSubChains(client: Client, parent: ReadParent, depth: number): Promise<Reasoning> {
  return new Below(client).reasoning(parent, depth);
}

class Below {
  private left = mostChains;

  constructor(private readonly client: Client) {}

  async reasoning(parent: ReadParent, depth: number): Promise<Reasoning> {
    const { chain, attempts, closed } = parent;
    const result = closed === null ? null : resultOfClosed(parent);
    return reason(chain, { attempts, result, looked: await this.lookedInto(parent, depth) });
  }

  /** All of one level before any of the next: where there are too many, those above come first. */
  private async lookedInto({ chain }: ReadParent, depth: number): Promise<ReadonlyMap<string, Looked>> {
    const begun = chain.steps.flatMap(({ calls }) => calls.flatMap(({ chains = [] }) => chains));
    const wanted = begun.filter((each) => isLookedAt(each, depth)).slice(0, this.left);
    this.left -= wanted.length;
    const read = await mapAll(wanted, async ({ chainId }) => [chainId, await this.read(chainId)] as const);
    const looked = new Map<string, Looked>();
    for (const [chainId, child] of read) if (child !== null) looked.set(chainId, await this.look(child, depth));
    return looked;
  }

  private async look(child: ReadChain, depth: number): Promise<Looked> {
    const reasoning = await this.reasoning(child, Math.max(0, depth - 1));
    const below = Object.values(reasoning.children).flat();
    const { outcome } = reasoning;
    return lookInto({ state: child.chain.state, outcome, below, chain: depth > 0 ? reasoning : null });
  }

  /** What was erased, or is damaged, is told as its parent knows it. */
  private async kept(chainId: string): Promise<ReadChain | null> {
    try {
      const source = await keptSource(this.client, chainId);
      return source === null ? null : await readChain(source);
    } catch {
      return null;
    }
  }

  /** Null for one that is not there, or no more. The id of a sub-chain is used once. */
  private async read(chainId: string): Promise<ReadChain | null> {
    try {
      return await readChain(await sourceOf(this.client, chainId, ''));
    } catch (error) {
      if (!isGone(error) && !isAway(error)) throw error;
      return this.kept(chainId);
    }
  }
}

/** Invariant 1. */
function isLookedAt({ ended }: BegunChain, depth: number): boolean {
  return ended === null || (depth > 0 && ended.outcome !== 'not_begun');
}
