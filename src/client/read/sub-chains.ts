/**
 * Reads a chain with its sub-chains, from their own histories.
 *
 * 1. Only opened and running sub-chains are read. Folded sub-chains that have ended come from the parent's history.
 * 2. At most `maxChains` histories of a tree are read; the rest come from their parents' histories.
 */

import type { Client } from '@temporalio/client';
import type { StartedChain } from '../../core/model/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import { buildReasoning, type Reasoning, type SubChainProgress, toSubChainProgress } from '../../core/view/index.js';
import { isServerUnavailable } from '../errors/errors.js';
import type { ReadChain } from './chain-pages.js';
import { findArchivedSource, resolveChainSource } from './chain-source.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';

/** Most histories read of one tree. */
const maxChains = 500;

export type ReadParent = Pick<ReadChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>;

/** @param depth levels of sub-chains to open; 0 folds all */
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

  /** Reads level by level, so that higher levels come first when the limit is reached. */
  private async readStatuses({ chain }: ReadParent, depth: number): Promise<ReadonlyMap<string, SubChainProgress>> {
    const started = chain.steps.flatMap(({ calls }) => calls.flatMap(({ chains = [] }) => chains));
    const selection = started.filter((subChain) => shouldRead(subChain, depth)).slice(0, this.remaining);
    this.remaining -= selection.length;
    const read = await mapAll(selection, async ({ chainId }) => [chainId, await this.readSubChain(chainId)] as const);
    const statuses = new Map<string, SubChainProgress>();
    for (const [chainId, child] of read) if (child !== null) statuses.set(chainId, await this.toStatus(child, depth));
    return statuses;
  }

  private async toStatus(child: ReadChain, depth: number): Promise<SubChainProgress> {
    const reasoning = await this.buildReasoning(child, Math.max(0, depth - 1));
    const below = Object.values(reasoning.children).flat();
    const { outcome } = reasoning;
    return toSubChainProgress({ state: child.chain.state, outcome, below, chain: depth > 0 ? reasoning : null });
  }

  /** Reads an archived sub-chain; null when erased or damaged: its parent's history is used then. */
  private async readArchived(chainId: string): Promise<ReadChain | null> {
    try {
      const source = await findArchivedSource(this.client, chainId);
      return source === null ? null : await readChain(source);
    } catch {
      return null;
    }
  }

  /** Reads a sub-chain; null when it no longer exists. Ids of sub-chains are used once. */
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
  return end === null || (depth > 0 && end.outcome !== 'not_started');
}
