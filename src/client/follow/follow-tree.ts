/**
 * A chain as it goes on, and what its sub-chains are at meanwhile: their histories are followed for as long as their
 * parents' say that they run.
 *
 * 1. What a chain's own history tells comes in its order. What its sub-chains are at comes between, each time that it
 *    has changed: a look, and no record. When one began and what it came to is the parent's to tell.
 * 2. So many histories are followed at once at most; of more the parents tell alone.
 * 3. A sub-chain that cannot be followed keeps nobody from following its parent.
 */

import { canonical } from '../../core/lib/json.js';
import type { State } from '../../core/model/state.js';
import { resultOfClosed } from '../../core/record/closed-result.js';
import { waiting } from '../../core/state/asks-due.js';
import { delegating } from '../../core/state/children.js';
import { knownTools } from '../../core/state/forked.js';
import type { Begetter, ChildNews } from '../../core/view/child-news.js';
import { descentOf } from '../../core/view/descent.js';
import { nothingBeside, reason, toolViews } from '../../core/view/reason.js';
import type { SubChain } from '../../core/view/reasoning.js';
import { lookInto } from '../../core/view/sub-chain.js';
import type { ChainPage } from '../read/chain-pages.js';
import { ownAbort } from '../read/long-poll.js';
import { followPages, type PageOr } from '../read/read-chain.js';
import type { ChainSource } from '../read/source.js';

/** What a sub-chain is at, and what lies between it and the chain that is followed. */
export interface Look {
  readonly child: ChildNews;
  readonly above: readonly Begetter[];
}

export type TreeEvent = PageOr<Look>;

/** Histories of sub-chains that are followed at once. */
const mostFollowed = 64;

/** Ends with the chain itself. */
export async function* followTree(
  source: ChainSource,
  caller: AbortSignal | undefined,
): AsyncGenerator<TreeEvent, void> {
  const own = ownAbort(caller);
  const tree = new Tree(source, own.signal);
  try {
    yield* tree.events();
  } finally {
    own.abort();
    own.leave();
  }
}

/** A sub-chain that is followed. */
interface Followed {
  readonly above: readonly Begetter[];
  readonly child: Pick<ChildNews, 'chainId' | 'agent' | 'call' | 'path'>;
  readonly stop: () => void;
  /** Null before its history was read. */
  read: ChainPage['read'] | null;
  told: string;
}

class Tree {
  private readonly come: TreeEvent[] = [];
  private readonly followed = new Map<string, Followed>();
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
    while (!state.over || this.come.length > 0) {
      const next = this.come.shift();
      if (next !== undefined) yield next;
      else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
    await root;
  }

  private put(event: TreeEvent): void {
    this.come.push(event);
    this.wake();
  }

  private async followRoot(): Promise<void> {
    for await (const page of followPages(this.source, this.signal)) {
      this.put({ kind: 'page', page });
      this.take(page, []);
    }
  }

  /** Invariant 3. */
  private async follow(chainId: string, one: Followed, signal: AbortSignal): Promise<void> {
    try {
      for await (const page of followPages({ ...this.source, chainId, runId: '' }, signal)) {
        one.read = page.read;
        this.take(page, one.above);
        this.tell(one);
      }
    } catch {
      this.forget(chainId);
    }
  }

  /** With all below it. */
  private forget(chainId: string): void {
    this.followed.delete(chainId);
    for (const [id, { above, stop }] of this.followed) {
      if (!above.some(({ chain }) => chain.chainId === chainId)) continue;
      stop();
      this.followed.delete(id);
    }
  }

  /** Follows what the chain has begun, and what has ended no longer. */
  private take({ read }: ChainPage, above: readonly Begetter[]): void {
    const { state } = read.chain;
    const running = new Map(read.closed === null ? runningIn(state, read.attempts) : []);
    for (const [chainId, { above: ways, stop }] of this.followed) {
      if (ways.length !== above.length + 1 || ways.at(-1)?.chain.chainId !== state.chainId || running.has(chainId))
        continue;
      stop();
      this.forget(chainId);
    }
    for (const [chainId, { id, tool }] of running) this.begin(chainId, [...above, begetter(state, id, tool)]);
  }

  private begin(chainId: string, above: readonly Begetter[]): void {
    if (this.followed.has(chainId) || this.followed.size >= mostFollowed) return;
    const { signal, abort, leave } = ownAbort(this.signal);
    const parent = above.at(-1);
    const path = [...above.map(({ chain }) => chain.chainId), chainId];
    const child = { chainId, agent: '', call: parent?.call ?? '', path };
    const one: Followed = { above, child, stop: abort, read: null, told: '' };
    this.followed.set(chainId, one);
    void this.follow(chainId, one, signal).finally(leave);
  }

  /** What is new of it, and what that makes of those above. */
  private tell(one: Followed): void {
    const look = this.lookAt(one);
    if (look === null) return;
    const now = canonical({ ...look });
    if (now === one.told) return;
    one.told = now;
    // What it came to its parent tells.
    if (look.outcome === null) this.put({ kind: 'look', look: { child: look, above: one.above } });
    const parent = this.followed.get(one.above.at(-1)?.chain.chainId ?? '');
    if (parent !== undefined) this.tell(parent);
  }

  private lookAt({ child, read }: Followed): ChildNews | null {
    if (read === null) return null;
    const below = this.belowOf(child.chainId, read);
    const outcome = read.closed === null ? null : resultOfClosed(read).outcome;
    const { chain: _, ...looked } = lookInto({ state: read.chain.state, outcome, below, chain: null });
    const { state } = read.chain;
    return { ...child, agent: state.input?.agent ?? '', requests: waiting(state).length, ...looked };
  }

  /** As its own history tells them, and those that run as theirs do. */
  private belowOf(chainId: string, { chain }: ChainPage['read']): readonly SubChain[] {
    const told = Object.values(reason(chain, nothingBeside).children).flat();
    return told.map((each) => {
      const one = this.followed.get(each.chainId);
      const now = one === undefined || one.above.at(-1)?.chain.chainId !== chainId ? null : this.lookAt(one);
      return now === null ? each : { ...each, ...now };
    });
  }
}

/** Those that the server has started, with the calls that began them. */
function runningIn(state: State, attempts: ChainPage['read']['attempts']) {
  return delegating(state).flatMap((call) =>
    call.children
      .filter(({ chainId, progress }) => progress === 'running' && attempts.get(chainId)?.startedAt != null)
      .map(({ chainId }) => [chainId, call] as const),
  );
}

function begetter(state: State, call: string, tool: string): Begetter {
  const { agent = '', tenant = null } = state.input ?? {};
  const descent = descentOf(state);
  const { chainId } = state;
  return {
    chain: { chainId, agent, tenant, tools: toolViews(knownTools(state)), ...(descent === null ? {} : { descent }) },
    call,
    tool,
  };
}
