/**
 * A chain with its sub-chains, from their own histories.
 *
 * 1. Read is only what is looked at: those that are opened, and those that run, for what they are at. What has ended and
 *    stays folded, the history of its parent tells.
 * 2. However large a tree is, so many histories are read at most; the rest is told as its parents know it.
 */

import type { Client } from '@temporalio/client';
import type { StartedChain } from '../../core/model/child.js';
import { computeClosedResult } from '../../core/record/closed-result.js';
import { buildReasoning } from '../../core/view/build-reasoning.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { type SubChainProgress, toSubChainProgress } from '../../core/view/sub-chain.js';
import { isServerUnavailable } from '../errors/errors.js';
import type { ReadChain } from './chain-pages.js';
import { findArchivedSource, resolveChainSource } from './chain-source.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';

/** Histories of one tree that are read at most. */
const maxChains = 500;

export type ReadParent = Pick<ReadChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>;

/** @param depth levels of sub-chains that are opened; 0 folds all */
export async function readWithSubChains(client: Client, parent: ReadParent, depth: number): Promise<Reasoning> {
  return new SubChainReader(client).buildReasoning(parent, depth);
}

class SubChainReader {
  private remaining = maxChains;

  constructor(private readonly client: Client) {}

  async buildReasoning(parent: ReadParent, depth: number): Promise<Reasoning> {
    const { chain, attempts, closed } = parent;
    const result = closed === null ? null : computeClosedResult(parent);
    return buildReasoning(chain, { attempts, result, subChainProgress: await this.readStatuses(parent, depth) });
  }

  /** All of one level before any of the next: where there are too many, those above come first. */
  private async readStatuses({ chain }: ReadParent, depth: number): Promise<ReadonlyMap<string, SubChainProgress>> {
    const begun = chain.steps.flatMap(({ calls }) => calls.flatMap(({ chains = [] }) => chains));
    const wanted = begun.filter((each) => shouldRead(each, depth)).slice(0, this.remaining);
    this.remaining -= wanted.length;
    const read = await mapAll(wanted, async ({ chainId }) => [chainId, await this.readSubChain(chainId)] as const);
    const looked = new Map<string, SubChainProgress>();
    for (const [chainId, child] of read) if (child !== null) looked.set(chainId, await this.toStatus(child, depth));
    return looked;
  }

  private async toStatus(child: ReadChain, depth: number): Promise<SubChainProgress> {
    const reasoning = await this.buildReasoning(child, Math.max(0, depth - 1));
    const below = Object.values(reasoning.children).flat();
    const { outcome } = reasoning;
    return toSubChainProgress({ state: child.chain.state, outcome, below, chain: depth > 0 ? reasoning : null });
  }

  /** What was erased, or is damaged, is told as its parent knows it. */
  private async readArchived(chainId: string): Promise<ReadChain | null> {
    try {
      const source = await findArchivedSource(this.client, chainId);
      return source === null ? null : await readChain(source);
    } catch {
      return null;
    }
  }

  /** Null for one that is not there, or no more. The id of a sub-chain is used once. */
  private async readSubChain(chainId: string): Promise<ReadChain | null> {
    try {
      return await readChain(await resolveChainSource(this.client, chainId, ''));
    } catch (error) {
      if (!isGone(error) && !isServerUnavailable(error)) throw error;
      return this.readArchived(chainId);
    }
  }
}

/** Invariant 1. */
function shouldRead({ end }: StartedChain, depth: number): boolean {
  return end === null || (depth > 0 && end.outcome !== 'not_begun');
}
