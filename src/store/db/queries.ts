/**
 * What clients ask of a store, and its answers. They are types of users, so nothing here imports the tables: a type check would load
 * the database library.
 */

import type { ChainListItem, CostGrouping, CostPeriod } from '../../core/record/index.js';

/** The filters of a query; an omitted filter matches every chain. */
export interface ArchiveQuery {
  readonly namespace: string;
  /** Only the chains of this server, by the namespace's id there, and those whose server is unknown. */
  readonly server?: string | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: 'running' | 'ended' | undefined;
  /** Bounds of the start time, in milliseconds since 1970: inclusive, exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** US dollars. */
  readonly costOver?: number | undefined;
  /** Words or beginnings of words, all of which must occur; or a part of the chain's id. */
  readonly text?: string | undefined;
  /** `roots`: only chains without a parent; `{ root }`: one tree. Default: every chain. */
  readonly tree?: 'roots' | 'all' | { readonly root: string } | undefined;
  /** Only the chains of this thread: the id of its first chain. */
  readonly thread?: string | undefined;
  /** The beginning of the id, or the full id. */
  readonly idPrefix?: string | undefined;
  readonly chainId?: string | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
  /** From an earlier page: continues after it. */
  readonly cursor?: string | undefined;
}

/** `input` is null after an erasure. */
export interface ArchivedChainSummary extends ChainListItem {
  readonly chainId: string;
  /** Null when only the erasure of the chain is recorded. */
  readonly runId: string | null;
  /** `running` when it continued in a run that is not archived yet. */
  readonly status: 'running' | 'ended';
  readonly closedAt: number;
  readonly facts: number;
  readonly head: string;
  readonly erased: { readonly at: number; readonly by: string | null } | null;
}

export interface ArchivePage {
  readonly chains: readonly ArchivedChainSummary[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

export interface CostQuery {
  readonly namespace: string;
  readonly by: CostGrouping;
  /** Bounds of the start time, in milliseconds since 1970: inclusive, exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Default: one sum over the whole time. */
  readonly per?: CostPeriod | undefined;
}

export interface PreferenceKey {
  readonly namespace: string;
  readonly tenant: string | null;
  readonly user: string;
}

export interface RegisteredWorker {
  /** What the server lists as a poller. */
  readonly identity: string;
  readonly agents: readonly RegisteredAgent[];
}

export interface RegisteredAgent {
  readonly name: string;
  /** It belongs to tenants: others do not see its name. */
  readonly isOwned: boolean;
}
