/**
 * A chain as it goes on, and what its sub-chains are at meanwhile: their histories are followed for as long as their
 * parents' say that they run.
 *
 * 1. What a chain's own history tells comes in its order. What its sub-chains are at comes between, each time that it
 *    has changed: a look, and no record. When one began and what it came to is the parent's to tell.
 * 2. So many histories are followed at once at most; of more the parents tell alone.
 * 3. A sub-chain that cannot be followed keeps nobody from following its parent.
 */

import { toCanonicalJson } from '../../core/lib/json.js';
import type { ChainState } from '../../core/model/state.js';
import { computeClosedResult } from '../../core/record/closed-result.js';
import { listDelegatingCalls } from '../../core/state/children.js';
import { listWaitingCalls } from '../../core/state/due-requests.js';
import { listKnownTools } from '../../core/state/fork.js';
import { findAncestry } from '../../core/view/ancestry.js';
import { buildReasoning, emptyReasoningContext, toToolViews } from '../../core/view/build-reasoning.js';
import type { ChildStatus, ParentCall } from '../../core/view/child-status.js';
import type { SubChain } from '../../core/view/reasoning.js';
import { toSubChainProgress } from '../../core/view/sub-chain.js';
import type { ChainPage } from '../read/chain-pages.js';
import type { ChainSource } from '../read/chain-source.js';
import { createLinkedAbort } from '../read/long-poll.js';
import { followPages, type PageOrUpdate } from '../read/read-chain.js';

/** What a sub-chain is at, and what lies between it and the chain that is followed. */
export interface SubChainUpdate {
  readonly child: ChildStatus;
  readonly parents: readonly ParentCall[];
}

export type TreeEvent = PageOrUpdate<SubChainUpdate>;

/** Histories of sub-chains that are followed at once. */
const maxFollowedChains = 64;

/** Ends with the chain itself. */
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

/** A sub-chain that is followed. */
interface FollowedChain {
  readonly parents: readonly ParentCall[];
  readonly child: Pick<ChildStatus, 'chainId' | 'agent' | 'call' | 'path'>;
  readonly stop: () => void;
  /** Null before its history was read. */
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
    // Told of where it is awaited, once all that came before has been read.
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

  /** With all below it. */
  private remove(chainId: string): void {
    this.followed.delete(chainId);
    for (const [id, { parents, stop }] of this.followed) {
      if (!parents.some(({ chain }) => chain.chainId === chainId)) continue;
      stop();
      this.followed.delete(id);
    }
  }

  /** Follows what the chain has begun, and what has ended no longer. */
  private updateFollowed({ read }: ChainPage, above: readonly ParentCall[]): void {
    const { state } = read.chain;
    const running = new Map(read.closed === null ? listRunningSubChains(state, read.attempts) : []);
    for (const [chainId, { parents: ways, stop }] of this.followed) {
      if (ways.length !== above.length + 1 || ways.at(-1)?.chain.chainId !== state.chainId || running.has(chainId))
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

  /** What is new of it, and what that makes of those above. */
  private reportChange(one: FollowedChain): void {
    const look = this.toStatus(one);
    if (look === null) return;
    const now = toCanonicalJson({ ...look });
    if (now === one.lastReported) return;
    one.lastReported = now;
    // What it came to its parent tells.
    if (look.outcome === null) this.push({ kind: 'look', update: { child: look, parents: one.parents } });
    const parent = this.followed.get(one.parents.at(-1)?.chain.chainId ?? '');
    if (parent !== undefined) this.reportChange(parent);
  }

  private toStatus({ child, read }: FollowedChain): ChildStatus | null {
    if (read === null) return null;
    const below = this.listSubChains(child.chainId, read);
    const outcome = read.closed === null ? null : computeClosedResult(read).outcome;
    const { chain: _, ...looked } = toSubChainProgress({ state: read.chain.state, outcome, below, chain: null });
    const { state } = read.chain;
    return { ...child, agent: state.input?.agent ?? '', requests: listWaitingCalls(state).length, ...looked };
  }

  /** As its own history tells them, and those that run as theirs do. */
  private listSubChains(chainId: string, { chain }: ChainPage['read']): readonly SubChain[] {
    const told = Object.values(buildReasoning(chain, emptyReasoningContext).children).flat();
    return told.map((each) => {
      const one = this.followed.get(each.chainId);
      const now = one === undefined || one.parents.at(-1)?.chain.chainId !== chainId ? null : this.toStatus(one);
      return now === null ? each : { ...each, ...now };
    });
  }
}

/** Those that the server has started, with the calls that began them. */
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
