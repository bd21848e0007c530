/**
 * Follows a chain together with its running sub-chains, from their own histories.
 *
 * 1. Facts of the followed chain arrive in order. Changes of its sub-chains arrive in between as updates, which are not
 *    recorded. The start and end of a sub-chain come from its parent's history.
 * 2. At most `maxFollowedChains` histories are followed at the same time; for more sub-chains only their parents report.
 * 3. A sub-chain that cannot be followed does not stop its parent from being followed.
 */

import { listDelegatingCalls, listKnownTools, listWaitingCalls } from '../../core/engine/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import type { ChainState } from '../../core/model/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import {
  buildReasoning,
  type ChildStatus,
  emptyReasoningContext,
  findAncestry,
  type ParentCall,
  type SubChain,
  toSubChainProgress,
  toToolViews,
} from '../../core/view/index.js';
import type { ChainPage } from '../read/chain-pages.js';
import type { ChainSource } from '../read/chain-source.js';
import { createLinkedAbort } from '../read/linked-abort.js';
import { followPages, type PageOrUpdate } from '../read/read-chain.js';

/** Current status of a sub-chain, with the calls between it and the followed chain. */
export interface SubChainUpdate {
  readonly child: ChildStatus;
  readonly parents: readonly ParentCall[];
}

export type TreeEvent = PageOrUpdate<SubChainUpdate>;

/** Histories of sub-chains followed at the same time. */
const maxFollowedChains = 64;

/** Yields pages and updates until the followed chain ends. */
export async function* followTree(
  source: ChainSource,
  caller: AbortSignal | undefined,
): AsyncGenerator<TreeEvent, void> {
  const own = createLinkedAbort(caller);
  const tree = new TreeFollower(source, own.signal);
  try {
    yield* tree.events();
  } finally {
    own.abort();
    own.unlink();
  }
}

/** A followed sub-chain. */
interface FollowedChain {
  readonly parents: readonly ParentCall[];
  readonly child: Pick<ChildStatus, 'chainId' | 'agent' | 'call' | 'path'>;
  readonly stop: () => void;
  /** Null until its history has been read. */
  read: ChainPage['read'] | null;
  lastReported: string;
}

class TreeFollower {
  private readonly queue: TreeEvent[] = [];
  private readonly followed = new Map<string, FollowedChain>();
  private wake = () => {};

  constructor(
    private readonly source: ChainSource,
    private readonly signal: AbortSignal,
  ) {}

  async *events(): AsyncGenerator<TreeEvent, void> {
    const state = { over: false };
    const root = this.followRoot().finally(() => {
      state.over = true;
      this.wake();
    });
    // An error is thrown below, after all queued events.
    root.catch(() => {});
    while (!state.over || this.queue.length > 0) {
      const next = this.queue.shift();
      if (next !== undefined) yield next;
      else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
    await root;
  }

  private push(event: TreeEvent): void {
    this.queue.push(event);
    this.wake();
  }

  private async followRoot(): Promise<void> {
    for await (const page of followPages(this.source, this.signal)) {
      this.push({ kind: 'page', page });
      this.updateFollowed(page, []);
    }
  }

  /** Invariant 3. */
  private async followSubChain(chainId: string, one: FollowedChain, signal: AbortSignal): Promise<void> {
    try {
      for await (const page of followPages({ ...this.source, chainId, runId: '' }, signal)) {
        one.read = page.read;
        this.updateFollowed(page, one.parents);
        this.reportChange(one);
      }
    } catch {
      this.remove(chainId);
    }
  }

  /** Removes a sub-chain and all below it. */
  private remove(chainId: string): void {
    this.followed.delete(chainId);
    for (const [id, { parents, stop }] of this.followed) {
      if (!parents.some(({ chain }) => chain.chainId === chainId)) continue;
      stop();
      this.followed.delete(id);
    }
  }

  /** Follows sub-chains that have started, and stops following those that have ended. */
  private updateFollowed({ read }: ChainPage, above: readonly ParentCall[]): void {
    const { state } = read.chain;
    const running = new Map(read.closed === null ? listRunningSubChains(state, read.attempts) : []);
    for (const [chainId, { parents: parentCalls, stop }] of this.followed) {
      if (
        parentCalls.length !== above.length + 1 ||
        parentCalls.at(-1)?.chain.chainId !== state.chainId ||
        running.has(chainId)
      )
        continue;
      stop();
      this.remove(chainId);
    }
    for (const [chainId, { id, tool }] of running)
      this.startFollowing(chainId, [...above, toParentCall(state, id, tool)]);
  }

  private startFollowing(chainId: string, above: readonly ParentCall[]): void {
    if (this.followed.has(chainId) || this.followed.size >= maxFollowedChains) return;
    const { signal, abort, unlink } = createLinkedAbort(this.signal);
    const parent = above.at(-1);
    const path = [...above.map(({ chain }) => chain.chainId), chainId];
    const child = { chainId, agent: '', call: parent?.call ?? '', path };
    const one: FollowedChain = { parents: above, child, stop: abort, read: null, lastReported: '' };
    this.followed.set(chainId, one);
    void this.followSubChain(chainId, one, signal).finally(unlink);
  }

  /** Reports a changed status, also to the followed chains above. */
  private reportChange(one: FollowedChain): void {
    const status = this.toStatus(one);
    if (status === null) return;
    const now = toCanonicalJson({ ...status });
    if (now === one.lastReported) return;
    one.lastReported = now;
    // The end of a sub-chain comes from its parent's history.
    if (status.outcome === null) this.push({ kind: 'update', update: { child: status, parents: one.parents } });
    const parent = this.followed.get(one.parents.at(-1)?.chain.chainId ?? '');
    if (parent !== undefined) this.reportChange(parent);
  }

  private toStatus({ child, read }: FollowedChain): ChildStatus | null {
    if (read === null) return null;
    const below = this.listSubChains(child.chainId, read);
    const outcome = read.closed === null ? null : computeClosedResult(read).outcome;
    const { chain: _, ...progress } = toSubChainProgress({ state: read.chain.state, outcome, below, chain: null });
    const { state } = read.chain;
    return { ...child, agent: state.input?.agent ?? '', requests: listWaitingCalls(state).length, ...progress };
  }

  /** Lists sub-chains from the chain's history, with the current status of those followed. */
  private listSubChains(chainId: string, { chain }: ChainPage['read']): readonly SubChain[] {
    const subChains = Object.values(buildReasoning(chain, emptyReasoningContext).children).flat();
    return subChains.map((subChain) => {
      const one = this.followed.get(subChain.chainId);
      const now = one === undefined || one.parents.at(-1)?.chain.chainId !== chainId ? null : this.toStatus(one);
      return now === null ? subChain : { ...subChain, ...now };
    });
  }
}

/** Returns the running sub-chains with the calls that started them. */
function listRunningSubChains(state: ChainState, attempts: ChainPage['read']['attempts']) {
  return listDelegatingCalls(state).flatMap((call) =>
    call.children
      .filter(({ chainId, progress }) => progress === 'running' && attempts.get(chainId)?.startedAt != null)
      .map(({ chainId }) => [chainId, call] as const),
  );
}

function toParentCall(state: ChainState, call: string, tool: string): ParentCall {
  const { agent = '', tenant = null } = state.input ?? {};
  const descent = findAncestry(state);
  const { chainId } = state;
  return {
    chain: {
      chainId,
      agent,
      tenant,
      tools: toToolViews(listKnownTools(state)),
      ...(descent === null ? {} : { ancestry: descent }),
    },
    call,
    tool,
  };
}
