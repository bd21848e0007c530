/**
 * The chains that wait for a person, over a whole server: one search finds them, by what each says of itself, and each is
 * read from its history. No worker is needed.
 */

import type { Client } from '@temporalio/client';
import { workflowType } from '../../contract/names.js';
import { listPathIds } from '../../core/model/lineage.js';
import type { ChainState } from '../../core/model/state.js';
import { computeWorkedMs } from '../../core/state/flight.js';
import { isSearchAttributeMissing } from '../errors/errors.js';
import type { ReadChain } from '../read/chain-pages.js';
import { resolveChainSource } from '../read/chain-source.js';
import { concurrency, createMetadataClient, explainUnreadable, isGone, mapEach } from '../read/many-chains.js';
import { listOpenRequests, type OpenRequest } from '../read/open-requests.js';
import { readChain } from '../read/read-chain.js';

export interface InboxOptions {
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  /** Only this chain and all below it. */
  readonly root?: string | undefined;
  /** Only what somebody with one of these roles may decide. Default: everything. */
  readonly roles?: readonly string[] | undefined;
  /** The most chains that are given: those that have waited longest. Default 100. */
  readonly limit?: number | undefined;
}

/** A chain that waits for people. Times are milliseconds since 1970. */
export interface InboxChain {
  readonly chainId: string;
  /** From its outermost chain down to it, by their ids. */
  readonly path: readonly string[];
  readonly agent: string;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly requests: readonly OpenRequest[];
  /** Null where it is not paused. */
  readonly paused: { readonly by: string | null; readonly reason: string | null; readonly at: number } | null;
  readonly startedAt: number;
  readonly steps: number;
  readonly tokens: number;
  /** US dollars so far; null where the model has no price. */
  readonly costUsd: number | null;
  /** Milliseconds that it may still work; most chains are not charged for waiting. Null before its agent is known. */
  readonly timeLeftMs: number | null;
}

/** What was found, with the chain that it was read from. */
export interface WaitingChain {
  readonly chain: InboxChain;
  readonly read: ReadChain;
}

/** Who has waited longest comes first. What cannot be read is left out: its keys are not here, or it is damaged. */
export async function listInbox(client: Client, options: InboxOptions = {}): Promise<readonly InboxChain[]> {
  const { longest } = await listLongestWaiting(client, { ...options, limit: options.limit ?? 100 });
  return longest.map(({ chain }) => chain);
}

export interface InboxResult {
  readonly longest: readonly WaitingChain[];
  /** How many wait besides, none of them for longer. */
  readonly others: number;
  /** What cannot be read, and may wait as well. */
  readonly unreadable: readonly UnreadableChain[];
}

export interface UnreadableChain {
  readonly chainId: string;
  readonly why: string;
}

/** The server does not know since when each waits: all are read, and no more are kept than are wanted. */
export async function listLongestWaiting(
  client: Client,
  { limit, ...options }: InboxOptions & { readonly limit: number },
): Promise<InboxResult> {
  let kept: WaitingChain[] = [];
  let all = 0;
  const unreadable: UnreadableChain[] = [];
  const inOrder = () =>
    kept.sort((a, b) => computeWaitingSince(a.chain) - computeWaitingSince(b.chain)).slice(0, limit);
  for await (const waiting of readWaitingChains(client, options)) {
    if ('why' in waiting) {
      unreadable.push(waiting);
      continue;
    }
    all += 1;
    if (kept.push(waiting) >= limit + concurrency) kept = inOrder();
  }
  kept = inOrder();
  return { longest: kept, others: all - kept.length, unreadable };
}

/** When the first of what waits began to. */
function computeWaitingSince({ requests, paused }: InboxChain): number {
  return Math.min(...requests.map(({ askedAt }) => askedAt), paused?.at ?? Number.POSITIVE_INFINITY);
}

/** Each as soon as it is read. What the search found and is over by now is left out. */
async function* readWaitingChains(
  client: Client,
  options: InboxOptions,
): AsyncGenerator<WaitingChain | UnreadableChain> {
  for await (const waiting of mapEach(searchWaitingChains(client, options), (info) =>
    readWaitingChain(client, info, options),
  )) {
    if (waiting !== null) yield waiting;
  }
}

async function* searchWaitingChains(client: Client, { agent, tenant, root }: InboxOptions) {
  const query = [
    `WorkflowType = ${JSON.stringify(workflowType)}`,
    "ExecutionStatus = 'Running'",
    "LonghandStatus IN ('waiting', 'paused')",
    ...(agent === undefined ? [] : [`LonghandAgent = ${JSON.stringify(agent)}`]),
    ...(tenant === undefined ? [] : [`LonghandTenant = ${JSON.stringify(tenant)}`]),
    ...(root === undefined ? [] : [`LonghandRoot = ${JSON.stringify(root)}`]),
  ].join(' AND ');
  try {
    yield* createMetadataClient(client).list({ query, pageSize: 100 });
  } catch (error) {
    if (!isSearchAttributeMissing(error)) throw error;
    throw new Error(
      'This server cannot be searched for what waits: no worker has registered the search attributes of chains yet. Start one, or see `longhand doctor`.',
      { cause: error },
    );
  }
}

async function readWaitingChain(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  { roles }: InboxOptions,
): Promise<WaitingChain | UnreadableChain | null> {
  const source = await resolveChainSource(client, workflowId, runId);
  const read = await readChain(source).catch((error: unknown): UnreadableChain | null => {
    if (isGone(error)) return null;
    const why = explainUnreadable(error);
    if (why === null) throw error;
    return { chainId: workflowId, why };
  });
  if (read === null) return null;
  if ('why' in read) return read;
  if (read.closed !== null) return null;
  const { state } = read.chain;
  const now = Date.now();
  const requests = listOpenRequests(state, now).filter((request) => canDecide(request.roles, roles));
  const paused = state.paused !== null && canDecide(state.agent?.permissions.pause ?? [], roles) ? state.paused : null;
  if (requests.length === 0 && paused === null) return null;
  return { chain: { ...toInboxChain(state, now), requests, paused }, read };
}

function toInboxChain(state: ChainState, now: number): Omit<InboxChain, 'requests' | 'paused'> {
  const { chainId, input, agent, startedAt, steps, charged } = state;
  return {
    chainId,
    path: listPathIds(state),
    agent: input?.agent ?? '',
    task: input?.task ?? '',
    tenant: input?.tenant ?? null,
    user: input?.user ?? null,
    startedAt,
    steps,
    tokens: charged.tokens,
    costUsd: charged.usd,
    timeLeftMs: agent === null ? null : Math.max(0, agent.limits.timeMs - computeWorkedMs({ ...state, now })),
  };
}

function canDecide(wanted: readonly string[], roles: readonly string[] | undefined): boolean {
  return roles === undefined || wanted.length === 0 || wanted.some((role) => roles.includes(role));
}
